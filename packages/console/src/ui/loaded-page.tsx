import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import type { Noun } from '../texts/language.ts';
import { t } from '../texts/ui.ts';
import { type Crumb, Page } from './page.tsx';
import { ErrorBox, Loading } from './states.tsx';

interface LoadedPageProps<T> {
  readonly query: UseQueryResult<T, Error>;
  /** What the page would be of: a product. */
  readonly noun: Noun;
  /** The pages above it, which is where to go from one that is not there. */
  readonly crumbs: readonly Crumb[];
  readonly children: (data: T) => ReactNode;
  /** What can be done where it is not there. */
  readonly missing?: ReactNode;
}

/** Whether what is shown is there no more, or is no longer the viewer's to see. */
const isGone = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

/** A page about one thing. Where the thing did not come, or goes while it is shown, the page says so and leads back. */
export function LoadedPage<T>({ query, noun, crumbs, children, missing }: LoadedPageProps<T>) {
  const { data, error } = query;
  if (data !== undefined && !isGone(error)) return <>{children(data)}</>;
  if (!error) return <Loading label={t.loadingThe(noun.one)} />;
  return (
    <Page title={isGone(error) ? t.notFound(noun.one) : t.notShown(noun.one)} crumbs={crumbs}>
      <ErrorBox error={error} onRetry={() => void query.refetch()} />
      {isGone(error) && missing}
    </Page>
  );
}
