export { Fleet, type FleetParts, type FleetSummary } from './fleet.ts';
export { type FleetScenario, parseScenario, plainScenario, Scenario } from './scenario.ts';
export type { OpenStore } from './twin.ts';
