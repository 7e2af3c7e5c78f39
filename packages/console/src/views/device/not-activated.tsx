import { Empty } from '../../ui/states.tsx';
import { ModuleLine } from './module-line.tsx';

/** Why there is nothing of the data cloud, and what to do at the module. */
export function NotActivated({ what }: { readonly what: string }) {
  return (
    <Empty title={`The device has no ${what} yet`}>
      It is not activated at the data cloud. A module is activated with the name and password of an account, and with a
      capabilities file that says which streams, controls and messages it has:
      <ModuleLine line="cloud_activate <user name> <password> <capabilities file>" />
    </Empty>
  );
}
