import type { QmpConnection } from '../qmp/connection.ts'
import { unlessRefused } from '../qmp/refusal.ts'

const bytesPerMebibyte = 1024 * 1024

/**
 * Has QEMU measure for a second how much memory the guest writes to: by sampling, which slows the
 * guest down by nothing that can be seen. A QEMU that cannot do it now is left alone.
 */
export async function measureDirtyRate(qmp: QmpConnection): Promise<void> {
  await unlessRefused(qmp.execute('calc-dirty-rate', { 'calc-time': 1, mode: 'page-sampling' }))
}

/**
 * Returns how much memory the guest wrote to when it was measured last, in bytes per second.
 * Undefined before, and while it is measured.
 */
export async function readDirtyRate(qmp: QmpConnection): Promise<number | undefined> {
  const found = await unlessRefused(qmp.execute('query-dirty-rate') as Promise<{ readonly status: string; readonly 'dirty-rate'?: number }>)
  const rate = found?.status === 'measured' ? found['dirty-rate'] : undefined
  return rate === undefined || rate < 0 ? undefined : rate * bytesPerMebibyte
}
