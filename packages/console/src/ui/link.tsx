import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface PageLinkProps extends AnchorProps {
  readonly href: string;
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A link to another page of the console. */
export function PageLink(props: PageLinkProps) {
  // As large as the text that it stands in, unless `size` says otherwise.
  return <Anchor component={Link} {...(props.size === undefined && { inherit: true })} {...props} />;
}
