import { useEffect, useRef, useState } from 'react';
import { uploadFiles } from '../../graph/upload.ts';
import { useOrganization } from '../../session/organization.tsx';

export interface Upload {
  key: number;
  name: string;
  /** Size of the file. */
  bytes: number;
  /** The share that is sent, 0 to 1. */
  share: number;
  /** The id of the stored file. */
  id?: string;
  /** Why the file could not be stored. */
  problem?: string;
}

let lastKey = 0;

/** Files that upload in parallel, each with its own progress. Leaving the page cancels open uploads. */
export function useUploads() {
  const { organization } = useOrganization();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  useEffect(
    () => () => {
      for (const controller of running.current.values()) controller.abort();
    },
    [],
  );
  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((before) => before.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)));

  async function start(key: number, file: File) {
    const controller = new AbortController();
    running.current.set(key, controller);
    const { signal } = controller;
    try {
      const onProgress = (share: number) => change(key, { share });
      const { ids, problems } = await uploadFiles(organization.slug, [file], { onProgress, signal });
      change(key, { share: 1, id: ids[0], problem: problems[0] });
    } catch (failure) {
      if (!signal.aborted) change(key, { problem: (failure as Error).message });
    }
    running.current.delete(key);
  }

  return {
    uploads,
    add(files: readonly File[]) {
      for (const file of files) {
        const key = ++lastKey;
        setUploads((before) => [...before, { key, name: file.name, bytes: file.size, share: 0 }]);
        void start(key, file);
      }
    },
    remove(key: number) {
      running.current.get(key)?.abort();
      setUploads((before) => before.filter((upload) => upload.key !== key));
    },
  };
}
