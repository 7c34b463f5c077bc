import { connectQmp, queryRunState } from '#qemu/index.ts'

/**
 * Returns the run state of a QEMU by its QMP socket; undefined for one that does not answer,
 * because it has ended or has not started yet.
 */
export async function runStateAt(socket: string): Promise<string | undefined> {
  const connection = await connectQmp(socket, { greetingTimeoutMs: 1_000 }).catch(() => undefined)
  try {
    return connection && (await queryRunState(connection))
  } catch {
    return undefined
  } finally {
    connection?.[Symbol.dispose]()
  }
}
