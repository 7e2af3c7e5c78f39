import { Text } from '@mantine/core';
import { useTip } from './tip.tsx';
import { meaningOf } from './words.ts';

interface TermProps {
  readonly word: string;
  /** What it means; without it the table of words says. */
  readonly meaning?: string | undefined;
}

function Explained({ word, meaning }: { readonly word: string; readonly meaning: string }) {
  const { target, bubble } = useTip<HTMLElement>(meaning);
  return (
    <>
      <Text
        {...target}
        component="abbr"
        inherit
        tabIndex={0}
        aria-label={`${word}: ${meaning}`}
        style={{ textDecoration: 'underline dotted', textUnderlineOffset: 3, cursor: 'help' }}
      >
        {word}
      </Text>
      {bubble}
    </>
  );
}

/** A word of the wire with its meaning, on pointing, focus or touch. */
export function Term({ word, meaning = meaningOf(word) }: TermProps) {
  return meaning === undefined ? word : <Explained word={word} meaning={meaning} />;
}
