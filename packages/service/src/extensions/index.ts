import type { ExtensionName } from '@moorage/api';
import { accounts } from './accounts/extension.ts';
import { alerts } from './alerts/extension.ts';
import { audit } from './audit/extension.ts';
import { broadcasts } from './broadcasts/extension.ts';
import { bulk } from './bulk/extension.ts';
import { doors } from './doors/extension.ts';
import { events } from './events/extension.ts';
import type { Extension } from './extension.ts';
import { fleet } from './fleet/extension.ts';
import { gateways } from './gateways/extension.ts';
import { homeAssistant } from './home-assistant/extension.ts';
import { rehearsals } from './rehearsals/extension.ts';
import { views } from './views/extension.ts';

/** Everything beyond the specification: the table of contents. */
const all: readonly Extension[] = [
  // Second factors, passkeys, single sign-on, links by mail, organisations, service accounts, and their administration.
  accounts,
  // What keeps a row of every change by a person or token, in a chain.
  audit,
  // Attributes, labels, filters, segments, rollouts, pins and freezes.
  fleet,
  // Rules over filters that mail and tell connectors.
  alerts,
  // Rollouts tried on twins before they start.
  rehearsals,
  // Update clients of other makers.
  doors,
  // Changes of many devices in one call.
  bulk,
  // What happens, as it happens, over one connection.
  events,
  // Devices of connectors, announced to Home Assistant.
  homeAssistant,
  // Real modules that a gateway has found.
  gateways,
  // Status broadcasts of modules that know no service.
  broadcasts,
  // Lists as people have kept them.
  views,
];

/** Those that run, of a list in which nothing is missing that one of them needs. */
export const chosenExtensions = (names: 'all' | readonly ExtensionName[]): readonly Extension[] =>
  names === 'all' ? all : all.filter(({ name }) => names.includes(name));
