import { Alert, Button, FileButton, Stack, Text } from '@mantine/core';
import { IconCamera } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../texts/scan.ts';
import { codeInPicture, watchCamera } from './code-reader.ts';

interface ScannerProps {
  /** Takes the text of a code, or says why it is not what is looked for: then the camera goes on. */
  readonly onText: (text: string) => string | undefined;
}

/** Why the camera shows nothing, by the names that browsers give the reasons. */
const cameraProblems: Readonly<Record<string, string>> = {
  NotAllowedError: t.cameraIsNotAllowed,
  NotFoundError: t.thereIsNoCamera,
  NotReadableError: t.cameraIsInUse,
};

function Camera({ onText }: { readonly onText: (text: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef(onText);
  latest.current = onText;
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    if (video.current)
      watchCamera(video.current, ended.signal, (text) => latest.current(text)).catch((error: unknown) => {
        if (ended.signal.aborted) return;
        const name = error instanceof Error ? error.name : '';
        setProblem(cameraProblems[name] ?? t.cameraDoesNotWork);
      });
    return () => ended.abort();
  }, []);
  if (problem !== undefined) return <NoCamera why={problem} />;
  return (
    <>
      <Text size="sm">{t.holdCodeBeforeCamera}</Text>
      <video ref={video} className="camera" muted playsInline aria-label={t.whatCameraSees} />
    </>
  );
}

const NoCamera = ({ why }: { readonly why: string }) => (
  <Alert color="yellow" variant="outline">
    {why}
  </Alert>
);

/** Reads a code by the camera, or from a picture, which needs no secure address and nobody's leave. */
export function Scanner({ onText }: ScannerProps) {
  const [problem, setProblem] = useState<string>();
  const reset = useRef<() => void>(null);
  const take = (text: string): void => setProblem(onText(text));
  const read = async (file: File | null): Promise<void> => {
    if (!file) return;
    try {
      const text = await codeInPicture(file);
      if (text === undefined) setProblem(t.thereIsNoCodeIn(file.name));
      else take(text);
    } catch {
      setProblem(t.pictureCannotBeRead(file.name));
    } finally {
      // The same file may be chosen again.
      reset.current?.();
    }
  };
  // Browsers hide the cameras from pages that came over an insecure line.
  const mayAsk = navigator.mediaDevices !== undefined;
  return (
    <Stack gap="sm" align="stretch">
      {mayAsk ? <Camera onText={take} /> : <NoCamera why={t.cameraNeedsHttps} />}
      <FileButton accept="image/*" capture="environment" resetRef={reset} onChange={(file) => void read(file)}>
        {(button) => (
          <Button {...button} variant="default" leftSection={<IconCamera size={16} aria-hidden />}>
            {t.takePicture}
          </Button>
        )}
      </FileButton>
      <Text size="sm" role="status" c="var(--mantine-color-error)">
        {problem}
      </Text>
    </Stack>
  );
}
