import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { linkSocketsToPod, removeAbandonedSockets, removeSockets } from './abandoned-sockets.ts'
import { launcherPaths } from './launcher-paths.ts'

test('removeAbandonedSockets() removes the sockets of pods whose folders are gone, and no others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sockets-'))
  const pods = join(directory, 'pods')
  const run = join(directory, 'run')
  try {
    const paths = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc'].map((uid) => launcherPaths(pods, run, uid))
    await mkdir(run)
    for (const one of paths) {
      await mkdir(one.sharedDirectory, { recursive: true })
      // As a node agent does that was killed after its first attempt.
      for (let attempt = 0; attempt < 2; attempt++) await linkSocketsToPod(one)
    }
    // The launch of the third was not begun.
    for (const { runDirectory } of paths.slice(0, 2)) {
      await mkdir(runDirectory)
      await writeFile(join(runDirectory, 'agent.qmp'), '')
    }
    // Of an older release, which recorded no pod.
    await mkdir(join(run, 'dddddddddddd'))

    await removeAbandonedSockets(run)
    assert.equal((await readdir(run)).length, 6)
    for (const uid of ['aaaaaaaaaaaa', 'cccccccccccc']) await rm(join(pods, uid), { recursive: true })
    await removeAbandonedSockets(run)
    assert.deepEqual((await readdir(run)).toSorted(), ['bbbbbbbbbbbb', 'bbbbbbbbbbbb.pod', 'dddddddddddd'])

    const [, second] = paths
    if (second !== undefined) await removeSockets(second)
    assert.deepEqual(await readdir(run), ['dddddddddddd'])
  } finally {
    await rm(directory, { recursive: true })
  }
})

test('removeAbandonedSockets() has nothing to do on a machine that never ran a guest', async () => {
  await removeAbandonedSockets(join(tmpdir(), 'no-such-directory'))
})
