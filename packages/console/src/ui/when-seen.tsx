import { Box } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';

interface WhenSeenProps {
  /** What it takes until then, in pixels. */
  readonly height: number;
  readonly children: ReactNode;
}

/** A part of a page that is made, and whose scripts are loaded, when the page has been moved to it. */
export function WhenSeen({ height, children }: WhenSeenProps) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const [seen, setSeen] = useState(false);
  if (inViewport && !seen) setSeen(true);
  return seen ? children : <Box ref={ref} h={height} className="unseen" />;
}
