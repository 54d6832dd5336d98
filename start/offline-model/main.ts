import { readEnvironment } from '../../schema/environment.ts';
import { startOfflineModel } from './server.ts';

/** The offline model alone, for other programs that speak OpenAI's protocol. */
const { PORT } = readEnvironment(['PORT']);
const { url } = await startOfflineModel({ port: PORT });
console.log(`The offline model listens on ${url}`);
