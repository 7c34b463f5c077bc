import type { QmpConnection } from '../qmp/connection.ts'
import { QmpCommandError } from '../qmp/errors.ts'

const bytesPerMebibyte = 1024 * 1024

/**
 * Returns how much memory the guest wrote to, in bytes per second, when it was measured last, and
 * has it measured anew for a second: by sampling, which slows the guest down by nothing that can be
 * seen. Undefined before the first measurement.
 */
export async function sampleDirtyRate(qmp: QmpConnection): Promise<number | undefined> {
  try {
    const last = (await qmp.execute('query-dirty-rate')) as { readonly status: string; readonly 'dirty-rate'?: number }
    if (last.status !== 'measuring') await qmp.execute('calc-dirty-rate', { 'calc-time': 1, mode: 'page-sampling' })
    return last['dirty-rate'] === undefined || last['dirty-rate'] < 0 ? undefined : last['dirty-rate'] * bytesPerMebibyte
  } catch (error) {
    if (error instanceof QmpCommandError) return undefined
    throw error
  }
}
