import { testClients } from './clients.ts';
import { describeDay } from './day.ts';
import { testWork } from './work.ts';

describeDay(testClients.claude);
testWork(testClients.claude);
