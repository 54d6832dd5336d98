import { environment, type Name, readEnvironment } from '../../schema/environment.ts';
import { readGatewayFiles } from '../gateway/configuration.ts';
import { readAll } from '../process/configuration.ts';

/** Read the configuration of `npm start` and of every process that it starts. Reports all faults together. */
export async function readConfig() {
  const { config } = await readAll({
    config: () => readEnvironment(Object.keys(environment) as Name[]),
    files: readGatewayFiles,
  });
  return config;
}
