import type { QueryContext } from '#core/define.ts';
import { isPersons } from '../../rules/person.ts';

/** Whether the call is a person's own act. */
export const isByPerson = ({
  gateway,
  token,
  caller,
  platform,
}: Pick<QueryContext, 'gateway' | 'token' | 'caller' | 'platform'>): boolean =>
  isPersons({ gateway, token, isAtTerminal: platform.isAtTerminal(), isNamed: caller.agent !== platform.caller.agent });
