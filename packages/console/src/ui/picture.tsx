import { Button, FileButton, Progress, Stack } from '@mantine/core';
import { avatarLimitBytes } from '@moorage/api';
import { useState } from 'react';
import { formatSize } from '../texts/format.ts';
import { t } from '../texts/ui.ts';
import { Muted } from './muted.tsx';
import { notifyError } from './notify.ts';

interface ChangePictureProps {
  /** Sends the picture, telling how much of it is gone, from 0 to 1. */
  readonly send: (picture: File, onProgress: (share: number) => void) => Promise<void>;
}

/** A button that chooses a picture and sends it; one that is too large is refused before anything is sent. */
export function ChangePicture({ send }: ChangePictureProps) {
  const [share, setShare] = useState<number>();
  const choose = async (picture: File | null): Promise<void> => {
    if (!picture) return;
    if (picture.size > avatarLimitBytes) {
      const [size, limit] = [formatSize(picture.size), formatSize(avatarLimitBytes)];
      return notifyError(t.pictureHasAndMayHave(size, limit));
    }
    setShare(0);
    try {
      await send(picture, setShare);
    } finally {
      setShare(undefined);
    }
  };
  return (
    <Stack gap={4} align="flex-start">
      <FileButton
        onChange={(picture) => void choose(picture).catch(notifyError)}
        accept="image/png,image/jpeg,image/gif,image/webp"
      >
        {(props) => (
          <Button {...props} variant="default" size="compact-sm" loading={share !== undefined}>
            {t.changePicture}
          </Button>
        )}
      </FileButton>
      <Muted small>{t.pngJpegGifOrWebp(formatSize(avatarLimitBytes))}</Muted>
      {share !== undefined && <Progress value={share * 100} w="100%" aria-label={t.uploadOfPicture} />}
    </Stack>
  );
}
