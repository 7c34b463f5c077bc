import { readdir, readFile } from 'node:fs/promises'
import type { ObjectVolume } from '#features/vmi/index.ts'
import { onNode, resolveInside, type FilePlace } from './file-place.ts'

/** Reads the keys of a Secret or ConfigMap that the pod of a guest has, sorted by name. */
export async function readObjectFiles(
  place: FilePlace,
  { podVolume, kind }: Pick<ObjectVolume, 'podVolume' | 'kind'>,
): Promise<ReadonlyMap<string, Buffer>> {
  const root = place.view.object(podVolume, kind)
  // The kubelet's own names begin with two dots.
  const names = (await readdir(onNode(place, root)).catch(() => [])).filter((name) => !name.startsWith('..')).toSorted()
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(onNode(place, await resolveInside(place, root, name)))] as const),
  )
  return new Map(files)
}

/** Returns the SSH keys of files in the format of `authorized_keys`, without comments. */
export function sshKeysIn(files: ReadonlyMap<string, Buffer>): string[] {
  const lines = [...files.values()].flatMap((content) => content.toString().split('\n'))
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}
