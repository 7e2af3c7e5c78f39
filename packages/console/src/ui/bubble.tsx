import { Tooltip } from '@mantine/core';
import type { RefObject } from 'react';

interface BubbleProps {
  readonly label: string;
  readonly target: RefObject<HTMLElement | null>;
}

/** What explains an element beside it. */
const Bubble = (props: BubbleProps) => <Tooltip {...props} opened />;

export default Bubble;
