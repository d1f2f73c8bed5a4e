import type { QueryContext } from '#core/define.ts';
import { isPersonCall } from '../../rules/person.ts';

export const isCalledByPerson = ({
  gateway,
  token,
  caller,
  platform,
}: Pick<QueryContext, 'gateway' | 'token' | 'caller' | 'platform'>): boolean =>
  isPersonCall({ gateway, token, isAtTerminal: platform.isAtTerminal(), isNamed: caller.agent !== platform.caller.agent });
