import { Button, Menu } from '@mantine/core';
import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { confirm } from '../../ui/confirm.tsx';
import { confirmCount } from '../../ui/confirm-count.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { runJob } from '../../ui/jobs.tsx';
import { jobFor, type Target, type Work } from './bulk-jobs.ts';
import { ManyCommands } from './many-commands.tsx';

/** Something that is done to each device of a target, after a question. */
interface Action {
  readonly item: string;
  /** On the button that confirms it, before the number of devices. */
  readonly verb: string;
  /** Of the dialogue that shows how far it is, before the number of devices. */
  readonly doing: string;
  readonly body: string;
  readonly destructive: boolean;
  /** What is lost does not come back: of many, their number is typed, and nothing stays selected. */
  readonly isFinal?: boolean;
  readonly work: Work;
}

const actions: readonly Action[] = [
  {
    item: t.updateNow,
    verb: t.ask,
    doing: t.askingForUpdateOf,
    body: t.eachLooksForItsUpdate,
    destructive: false,
    work: (device_ids) => call('manyDevices.askUpdate', { body: { device_ids } }),
  },
  {
    item: t.block,
    verb: t.block2,
    doing: t.blocking,
    body: t.theyAreCutOffAt,
    destructive: true,
    work: (device_ids) => call('manyDevices.setState', { body: { device_ids, state: 'disabled' } }),
  },
  {
    item: t.letInAgain,
    verb: t.letIn,
    doing: t.lettingIn,
    body: t.blockedDevicesBecomeActiveWith,
    destructive: false,
    work: (device_ids) => call('manyDevices.setState', { body: { device_ids, state: 'enabled' } }),
  },
  {
    item: t.reset,
    verb: t.reset2,
    doing: t.resetting,
    body: t.theyLoseTheirOwnerTitle,
    destructive: true,
    isFinal: true,
    work: (device_ids) => call('manyDevices.reset', { body: { device_ids } }),
  },
  {
    item: common.delete2,
    verb: common.delete,
    doing: t.deleting,
    body: t.serviceForgetsThemWithTheir,
    destructive: true,
    isFinal: true,
    work: (device_ids) => call('manyDevices.remove', { body: { device_ids } }),
  },
];

interface BulkMenuProps {
  readonly target: Target;
  readonly onEnd: () => void;
}

/** What else can be done to many devices at once. */
export function BulkMenu({ target, onEnd }: BulkMenuProps) {
  const [, navigate] = useLocation();
  const devices = plural(target.count, nouns.device);
  const ask = ({ verb, doing, body, destructive, isFinal = false, work }: Action): void => {
    const question = {
      title: `${verb} ${devices}?`,
      body,
      action: `${verb} ${devices}`,
      run: () => runJob(jobFor(target, `${doing} ${devices}`, work, isFinal ? onEnd : undefined)),
    };
    if (isFinal) confirmCount({ ...question, count: target.count });
    else confirm({ ...question, destructive });
  };
  return (
    // Within the page, so that it belongs to its part of it; the first item has the focus at once.
    <Menu position="bottom-start" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button size="compact-sm" variant="default">
          {t.more}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action.item}
            {...(action.verb === common.delete && { c: 'red.9' })}
            onClick={() => ask(action)}
          >
            {action.item}
          </Menu.Item>
        ))}
        <Menu.Item
          onClick={() =>
            openDialog({ title: t.runCommandOn(devices), size: 'xl' }, (close) => (
              <ManyCommands target={target} onClose={close} />
            ))
          }
        >
          {t.runCommand}
        </Menu.Item>
        <Menu.Item onClick={() => navigate('/devices/labels', { state: target })}>{t.labelSheet}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
