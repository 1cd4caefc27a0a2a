/** The worker in which the turns of a session are taken: its reads block, the watcher's thread stays free. */
import { parentPort, workerData } from 'node:worker_threads';
import { takeTurns } from './turns.ts';

parentPort?.postMessage(takeTurns(workerData));
