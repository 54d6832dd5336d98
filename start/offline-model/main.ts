import { readEnvironment } from '../../schema/environment.ts';
import { startOfflineModel } from './server.ts';

/** Runs only the offline model, for other clients of the OpenAI API. */
const { PORT } = readEnvironment(['PORT']);
const { url } = await startOfflineModel({ port: PORT });
console.log(`The offline model listens on ${url}`);
