import type { TestMachine } from '../../test/support/machine.ts'
import { percentile, time, type Row } from '../measure.ts'

const ROUNDS = 5
const BUDGET_MS = 5_000
const MANY = 20_000

interface Document {
  readonly revisions: number
  readonly findings: readonly unknown[]
}

/**
 * Measures the command `steadyvm revisions`, including its reads from the cluster, over all
 * revisions of the rows before.
 */
export async function revisionReportRows(machine: TestMachine): Promise<Row[]> {
  await machine.kubectl(['wait', 'kubevirt/kubevirt', '-n', 'kubevirt', '--for=condition=InstancetypeRevisionsUpToDate', '--timeout=120s'])
  const times: number[] = []
  let revisions = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now()
    const { code, stdout, stderr } = await machine.steadyvm('revisions', '-A', '-o', 'json')
    times.push(performance.now() - started)
    const found = JSON.parse(stdout === '' ? '{}' : stdout) as Document
    if (code !== 0) throw new RangeError(`revisions ended with ${code}: ${JSON.stringify(found.findings?.slice(0, 3))} ${stderr}`)
    revisions = found.revisions
  }
  const median = percentile(times, 0.5)
  return [
    {
      what: `report on ${revisions.toLocaleString('en')} revisions, as a command`,
      measured: `${time(median)}, ${ROUNDS} times, the slowest ${time(Math.max(...times))}`,
      budget: '< 5 s for 20,000',
      within: revisions < MANY ? undefined : median < BUDGET_MS,
      peer: 'none: nobody has it',
    },
  ]
}
