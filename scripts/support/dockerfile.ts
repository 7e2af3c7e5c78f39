// Reads a Dockerfile as far as ours goes: https://docs.docker.com/reference/dockerfile/

/** One instruction: its name in capitals, its flags, and the rest of its line. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Stage {
  /** What it begins with: an image, or the name of an earlier stage. */
  readonly from: string;
  readonly name?: string;
  readonly steps: readonly Instruction[];
}

function readInstruction(line: string): Instruction {
  const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
  const flags: Record<string, string> = {};
  let text = rest;
  for (let found = /^--([\w-]+)=(\S+)\s+/.exec(text); found; found = /^--([\w-]+)=(\S+)\s+/.exec(text)) {
    flags[found[1] ?? ''] = found[2] ?? '';
    text = text.slice(found[0].length);
  }
  return { name: name.toUpperCase(), flags, text };
}

/** The stages of a Dockerfile. */
export function readDockerfile(content: string): Stage[] {
  const lines = content
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
    .join('\n')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n');
  const stages: { from: string; name?: string; steps: Instruction[] }[] = [];
  for (const instruction of lines.map(readInstruction)) {
    if (instruction.name === 'FROM') {
      const [from = '', , name] = instruction.text.split(/\s+/);
      stages.push({ from, ...(name !== undefined && { name }), steps: [] });
    } else stages.at(-1)?.steps.push(instruction);
  }
  return stages;
}

/** The texts of an instruction in the form of a JSON list. */
export const readList = (text: string): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[];

/** Variables of an ENV, ARG or LABEL. */
export function readPairs(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)];
  return Object.fromEntries(pairs.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']));
}
