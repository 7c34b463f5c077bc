import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { runCommand } from '../../test/support/kubectl.ts'
import { prepareHome, repository } from '../../test/support/machine.ts'
import { percentile, time, type Row } from '../measure.ts'

const steadyvm = join(repository, 'bin', 'steadyvm')
const ROUNDS = 5

/**
 * `steadyvm up` until the API answers ready, and until every component is: the first time ever and
 * with data and code warm.
 */
export async function startUpRows(): Promise<Row[]> {
  const home = await prepareHome()
  const env = { ...process.env, STEADYVM_HOME: home }
  const up = async (wait: 'api' | 'all'): Promise<number> => {
    const started = performance.now()
    const result = await runCommand(steadyvm, ['up', '--wait', wait], { env })
    if (result.code !== 0) throw new Error(`steadyvm up failed: ${result.stderr}`)
    return performance.now() - started
  }
  const down = async (): Promise<void> => {
    await runCommand(steadyvm, ['down'], { env })
    await sleep(200)
  }
  try {
    const first = await up('api')
    await up('all')
    await down()
    const api: number[] = []
    const all: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      api.push(await up('api'))
      await up('all')
      all.push(performance.now() - started)
      await down()
    }
    const warm = percentile(api, 0.5)
    const whole = percentile(all, 0.5)
    return [
      {
        what: 'up → API ready, first ever',
        measured: time(first),
        budget: '1 s',
        within: first <= 1000,
        peer: 'envtest 2.6 s, kind 12–17 s (not run here)',
      },
      {
        what: 'up → API ready, warm (p50)',
        measured: time(warm),
        budget: '300 ms',
        within: warm <= 300,
        peer: 'envtest 2.6 s (not run here)',
      },
      {
        what: 'up → control plane ready, warm (p50)',
        measured: time(whole),
        budget: '3 s',
        within: whole <= 3000,
        peer: 'KubeVirt on kind: minutes (not run here)',
      },
    ]
  } finally {
    await down()
    await rm(home, { recursive: true, force: true })
  }
}
