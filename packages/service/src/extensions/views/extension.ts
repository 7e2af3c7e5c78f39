import { extensionContracts } from '@moorage/api';
import { extension } from '../extension.ts';
import { viewsRoutes } from './views.ts';

/** Lists as people have kept them. */
export const views = extension({
  name: 'views',
  contracts: extensionContracts.views,
  open: () => ({ routes: (core) => ({ views: viewsRoutes(core) }) }),
});
