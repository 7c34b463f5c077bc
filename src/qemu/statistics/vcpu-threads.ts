import type { QmpConnection } from '../qmp/connection.ts'

/** A CPU of the guest, and the thread that runs it, as QEMU's own process sees it. */
export interface VcpuThread {
  readonly index: number
  readonly threadId: number
}

/** Lists the CPUs of a guest, by their index. */
export async function readVcpuThreads(qmp: QmpConnection): Promise<VcpuThread[]> {
  const cpus = (await qmp.execute('query-cpus-fast')) as readonly { readonly 'cpu-index': number; readonly 'thread-id': number }[]
  return cpus.map((cpu) => ({ index: cpu['cpu-index'], threadId: cpu['thread-id'] })).toSorted((a, b) => a.index - b.index)
}
