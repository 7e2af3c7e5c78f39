export type { FleetSummary } from './figures.ts';
export { Fleet, type FleetParts } from './fleet.ts';
export { type FleetScenario, parseScenario, plainScenario, Scenario } from './scenario.ts';
export type { OpenStore } from './twin.ts';
