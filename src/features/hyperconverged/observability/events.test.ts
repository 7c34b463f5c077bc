import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HyperConvergedStatus } from '#api/hco/v1/status.ts'
import { removalMessage } from '../components/objects/state.ts'
import { recordTransitions } from './events.ts'

const changesBetween = (before: HyperConvergedStatus | undefined, after: HyperConvergedStatus): readonly string[] => {
  const events: string[] = []
  const recorder = {
    event: (_: unknown, type: string, reason: string, message: string) => void events.push(`${type} ${reason}: ${message}`),
  }
  recordTransitions(recorder, { metadata: { name: 'x' } } as never, before, after)
  return events
}

const condition = (type: string, status: 'True' | 'False', message = ''): NonNullable<HyperConvergedStatus['conditions']>[number] => ({
  type,
  status,
  reason: 'Because',
  message,
})
const settled: HyperConvergedStatus = {
  systemHealthStatus: 'healthy',
  conditions: [condition('Available', 'True'), condition('Degraded', 'False')],
  steadyvm: { components: [{ name: 'cdi', state: 'Ready' }] },
}
const broken: HyperConvergedStatus = {
  systemHealthStatus: 'error',
  conditions: [condition('Available', 'True'), condition('Degraded', 'True', 'cdi: no disk')],
  steadyvm: { components: [{ name: 'cdi', state: 'Failed', message: 'no disk' }] },
}
const removingThe = (name: string): HyperConvergedStatus => ({
  ...settled,
  systemHealthStatus: 'warning',
  steadyvm: { components: [{ name, object: 'CDI/cdi', state: 'Progressing', message: removalMessage }] },
})
const removing = removingThe('cdi')

test('one event for a change of the status, and none without', () => {
  const init = 'Normal InitHCO: The components are configured for the first time'
  const complete = 'Normal ReconcileHCO: All components are configured and available'
  const failed = 'Warning ReconcileError: cdi cannot be configured: no disk'
  const incomplete = 'Warning ReconcileHCO: Not all components are available: cdi: no disk'
  const rows: readonly (readonly [HyperConvergedStatus | undefined, HyperConvergedStatus, readonly string[]])[] = [
    [undefined, settled, [init, complete]],
    [undefined, broken, [init, failed]],
    [broken, settled, [complete]],
    [settled, broken, [failed, incomplete]],
    // Every edit causes some progress.
    [settled, { ...settled, systemHealthStatus: 'warning' }, []],
    [{ ...settled, systemHealthStatus: 'warning' }, settled, []],
    [settled, removing, ['Normal Killing: CDI/cdi is deleted: this object does not ask for it']],
    // One of many objects of a workload.
    [settled, removingThe('wasp-agent/serviceaccount'), []],
    ...[settled, broken, removing].map((status) => [status, status, []] as const),
  ]
  for (const [before, after, events] of rows) assert.deepEqual(changesBetween(before, after), events)
})
