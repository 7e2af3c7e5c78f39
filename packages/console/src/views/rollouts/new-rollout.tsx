import { Alert, Button, Grid, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { tags } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatSize, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/rollouts.ts';
import { Card } from '../../ui/card.tsx';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { ProductSelect } from '../../ui/product-select.tsx';
import { sayError } from '../../ui/refusals.ts';
import { type Draft, draftProblem, firstDraft, stagesProblem } from './draft.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { finished } from './filter-rows.ts';
import { PreviewNotes } from './preview-notes.tsx';
import { plannedStages, StageBar } from './stage-bar.tsx';
import { type PartProps, Way } from './way.tsx';
import { choiceOf } from './ways.ts';

const crumbs = [{ title: common.rollouts, href: '/rollouts' }];

/** As many bundles and segments as one page of the service may have. */
const listed = 500;
/** Before a draft that is being typed is counted, in ms. */
const typingMs = 400;

function What({ form }: PartProps) {
  const { productId, title } = form.values;
  const bundles = useCall(
    'bundles.list',
    { params: { product_id: productId ?? '' }, query: { state: 'published', limit: listed } },
    { enabled: productId !== null },
  );
  const found = bundles.data?.value ?? [];
  const choose = (id: string | null): void => {
    const version = found.find((bundle) => bundle.id === id)?.version;
    form.setValues({ bundleId: id, ...(version !== undefined && title === '' && { title: t.version(version) }) });
  };
  return (
    <Card title={t.n1What}>
      <Stack gap="sm">
        <ProductSelect
          label={common.product}
          placeholder={t.partOfItsTitleOr}
          value={productId}
          onChange={(id) => form.setValues({ productId: id, bundleId: null, way: 'own' })}
        />
        <Select
          label={common.bundle}
          placeholder={productId === null ? t.afterProduct : t.publishedOne}
          data={found.map(({ id, version, tag }) => ({
            value: id,
            label: tag === null ? version : `${version} (${tag})`,
          }))}
          nothingFoundMessage={t.productHasNoPublishedBundle}
          searchable
          disabled={productId === null}
          {...form.getInputProps('bundleId')}
          onChange={choose}
        />
        <TextInput label={common.title} maxLength={128} {...form.getInputProps('title')} />
      </Stack>
    </Card>
  );
}

function Who({ form }: PartProps) {
  const { productId } = form.values;
  // Anew for each segment: what the builder has begun with is its own.
  const [chosen, choose] = useState<string | null>(null);
  const segments = useCall(
    'segments.list',
    { params: { product_id: productId ?? '' }, query: { limit: listed } },
    { enabled: productId !== null },
  );
  const found = segments.data?.value ?? [];
  return (
    <Card title={t.n2Who}>
      {productId === null ? (
        <Muted>{t.afterProductIsChosen}</Muted>
      ) : (
        <Stack gap="sm">
          {found.length > 0 && (
            <Select
              label={t.segment}
              placeholder={t.noneFilterOfItsOwn}
              data={found.map(({ id, title, devices }) => ({
                value: id,
                label: `${title} (${plural(devices, nouns.device)})`,
              }))}
              clearable
              clearButtonProps={{ 'aria-label': t.noSegment }}
              value={chosen}
              onChange={(id) => {
                choose(id);
                form.setFieldValue('filter', found.find((segment) => segment.id === id)?.filter ?? '');
              }}
            />
          )}
          <FilterBuilder key={`${productId} ${chosen ?? ''}`} productId={productId} {...form.getInputProps('filter')} />
        </Stack>
      )}
    </Card>
  );
}

function Stages({ form }: PartProps) {
  const { stages } = form.values;
  const problem = stagesProblem(stages);
  const bar = plannedStages([...stages, 100]);
  const words = [...stages, 100].map((percent, index) => t.stageUpTo(index + 1, percent)).join(', ');
  return (
    <Card title={t.n3Stages}>
      <Stack gap="sm">
        <StageBar stages={bar} label={t.stages(words)} />
        <Group gap="sm" align="flex-end">
          {stages.map((percent, index) => (
            <NumberInput
              // biome-ignore lint/suspicious/noArrayIndexKey: the number of a stage is its name
              key={index}
              label={t.stageUpToPart(index + 1)}
              min={0.1}
              max={99.9}
              decimalScale={1}
              value={percent}
              onChange={(value) => form.setFieldValue(`stages.${index}`, Number(value))}
              w={130}
            />
          ))}
          <Text size="sm" pb={8}>
            {t.thenAllThatAreLeft}
          </Text>
        </Group>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            disabled={stages.length >= 10}
            onClick={() => form.insertListItem('stages', Math.min(99, (stages.at(-1) ?? 0) + 10))}
          >
            {t.addStage}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={stages.length === 0}
            onClick={() => form.removeListItem('stages', stages.length - 1)}
          >
            {t.removeStage}
          </Button>
        </Group>
        {problem !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {problem}
          </Text>
        )}
        {stages.length > 0 && (
          <Group gap="sm" align="flex-end">
            <NumberInput
              label={t.failedBeforeNextStageAt}
              min={0}
              max={100}
              placeholder={t.any2}
              {...form.getInputProps('failedPercent')}
              w={{ base: '100%', xs: 250 }}
            />
            <NumberInput
              label={t.forAsManyMinutes}
              min={0}
              placeholder={t.atOnce}
              {...form.getInputProps('soakMinutes')}
              w={{ base: '100%', xs: 180 }}
            />
            <Switch
              label={t.personBeginsEachNextStage}
              {...form.getInputProps('person', { type: 'checkbox' })}
              pb={8}
            />
          </Group>
        )}
      </Stack>
    </Card>
  );
}

const stopChoices = [
  { value: 'pause', label: t.pause },
  { value: 'abort', label: t.abort },
  { value: 'roll_back', label: t.abortAndRollBack },
] as const;

function Safety({ form }: PartProps) {
  return (
    <Card title={t.n4Safety}>
      <Group gap="sm" align="flex-end">
        <NumberInput
          label={t.stopWhenHaveFailed}
          min={0}
          max={100}
          placeholder={t.never}
          {...form.getInputProps('stopAt')}
          w={190}
        />
        <NumberInput label={t.ofAtLeastDevices} min={1} {...form.getInputProps('stopMin')} w={160} />
        <Select
          label={t.andThen}
          data={[...stopChoices]}
          allowDeselect={false}
          {...form.getInputProps('stopAction')}
          w={190}
        />
        <NumberInput
          label={t.openUpdatesAtTime}
          min={1}
          placeholder={t.anyNumber}
          {...form.getInputProps('open')}
          w={190}
        />
        <NumberInput
          label={t.newOnesInMinute}
          min={1}
          placeholder={t.anyNumber}
          {...form.getInputProps('perMinute')}
          w={190}
        />
        <NumberInput label={t.attemptsAfterFailure} min={0} max={10} {...form.getInputProps('retries')} w={190} />
        <Select
          label={t.tagBundleAtEnd}
          placeholder={common.noTag}
          data={[...tags]}
          clearable
          clearButtonProps={{ 'aria-label': common.noTag }}
          {...form.getInputProps('thenTag')}
          w={190}
        />
      </Group>
    </Card>
  );
}

const sum = (stages: readonly { readonly devices: number }[]): number =>
  stages.reduce((all, { devices }) => all + devices, 0);

/** What a complete draft would reach, as the service counts it. */
function Preview({ draft }: { readonly draft: Draft }) {
  const [asked] = useDebouncedValue(draft, typingMs);
  const { productId, bundleId } = asked;
  const isComplete = productId !== null && bundleId !== null && draftProblem(asked) === undefined;
  const preview = useCall(
    'rollouts.reach',
    { params: { product_id: productId ?? '' }, body: { change: 'rollout', rollout: bodyOf(asked) } },
    { enabled: isComplete, keepPrevious: true },
  );
  const counted = preview.data?.value;
  return (
    <Card title={t.n5Preview}>
      <Stack gap="xs" role="status">
        {!isComplete && <Muted>{t.whenBundleIsChosenWhat}</Muted>}
        {isComplete && preview.error && (
          <Alert color="red" variant="outline">
            {sayError(preview.error)}
          </Alert>
        )}
        {isComplete && !preview.error && counted?.rollout && (
          <>
            <Text>{t.atMostToSend(plural(sum(counted.rollout.stages), nouns.device), formatSize(counted.bytes))}</Text>
            <StageBar
              stages={counted.rollout.stages.map(({ devices }, index) => ({
                size: devices,
                label: t.stage2(index + 1, devices),
                parts: [{ share: 1, colour: index % 2 === 0 ? 'cyan-6' : 'cyan-8' }],
              }))}
              label={counted.rollout.stages
                .map(({ devices }, index) => t.stage3(index + 1, plural(devices, nouns.device)))
                .join(', ')}
            />
            <PreviewNotes reach={counted} rollout={counted.rollout} />
          </>
        )}
      </Stack>
    </Card>
  );
}

const bodyOf = (draft: Draft) => ({
  title: draft.title.trim() || t.rollout,
  bundle_id: draft.bundleId ?? '',
  ...choiceOf(draft),
  ...(draft.filter.trim() !== '' && { filter: draft.filter.trim() }),
});

/** The guided start of a rollout: what, who, in which stages, how safely, and what that comes to. */
export default function NewRollout() {
  const search = new URLSearchParams(useSearch());
  const form = useForm<Draft>({
    initialValues: { ...firstDraft, productId: search.get('product'), bundleId: search.get('bundle') },
    validate: { productId: needed, bundleId: needed, filter: finished, stages: (_, draft) => draftProblem(draft) },
  });
  const [starts, setStarts] = useState(true);
  const [, navigate] = useLocation();
  const draft = form.values;
  const { productId } = draft;
  const send = async (): Promise<void> => {
    if (productId === null) return;
    const made = await call('rollouts.create', { params: { product_id: productId }, body: bodyOf(draft) });
    const params = { rollout_id: made.value.id };
    // From here on there is a rollout: what goes wrong now is said on its page, where it can be started.
    navigate(`/rollouts/${made.value.id}`);
    if (!starts) notify(t.rolloutIsDraftedNothingIs);
    else await call('rollouts.act', { params, body: { action: 'start' } }).catch(notifyError);
    void renew('rollouts');
  };
  return (
    <Page title={common.newRollout} crumbs={crumbs} description={t.everythingCanBeLookedAt}>
      <Form
        submit={starts ? t.startRollout : t.keepDraft}
        onSubmit={send}
        disabled={!form.isValid()}
        fields={form}
        dirty={form.isDirty()}
        more={
          <Switch label={t.startAtOnce} checked={starts} onChange={(event) => setStarts(event.currentTarget.checked)} />
        }
      >
        <Grid>
          <Grid.Col span={{ base: 12, lg: 6 }}>
            <What form={form} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 6 }}>
            <Who form={form} />
          </Grid.Col>
        </Grid>
        <Way form={form} />
        {draft.way === 'own' && (
          <>
            <Stages form={form} />
            <Safety form={form} />
          </>
        )}
        <Preview draft={draft} />
      </Form>
    </Page>
  );
}
