import { randomUUID } from 'node:crypto'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { internalError } from '#apimachinery/errors.ts'
import { moveCursor, saveScreenshot } from '#qemu/index.ts'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import type { Guest } from '../guest/guest.ts'

/** Milliseconds in which QEMU writes a picture. */
const pictureMs = 8_000

/**
 * Returns a PNG of the guest's display. `moveCursor` moves its pointer first, which ends a screen
 * saver. @throws StatusError 500 when QEMU does not answer
 */
export async function takeScreenshot(guest: Guest, options: { readonly moveCursor: boolean }): Promise<Buffer> {
  const name = `screenshot-${randomUUID()}.png`
  const { runDirectory, view } = guest.paths
  const record = await guest.record()
  try {
    // An isolated QEMU creates no files beside its sockets.
    if (record?.isolation !== undefined) await createFor(join(runDirectory, name), record.isolation.user)
    const isSaved = await guest.query(async (qmp) => {
      if (options.moveCursor) await moveCursor(qmp)
      await saveScreenshot(qmp, join(view.run, name))
      return true
    }, pictureMs)
    if (isSaved === undefined) throw internalError('QEMU does not answer')
    return await readFile(join(runDirectory, name))
  } finally {
    await rm(join(runDirectory, name), { force: true })
  }
}

async function createFor(path: string, { uid, gid }: ProcessUser): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.chown(uid, gid)
}
