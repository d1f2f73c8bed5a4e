import { testClients } from './clients.ts';
import { describeDay } from './day.ts';

describeDay(testClients.opencode);
