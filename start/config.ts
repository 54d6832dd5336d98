import { environment, type Name, readEnvironment } from '../schema/environment.ts';

/** What `npm start` passes on to the processes it starts is read here already, so that every fault is named at once. */
export const readConfig = () => readEnvironment(Object.keys(environment) as Name[]);
