import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { imported, nameOf, nowMs, observed } from '../decide.fixture.ts'
import { names } from '../names.ts'
import { bootCopyOf, bootVmOf } from './boot-objects.ts'
import { decideBoot, type BootObservation } from './boot.ts'
import { bootWishOf, type BootWish } from './wish.ts'

const image = imported('a')
const running: BootWish = { goal: 'Running', timeoutMs: 600_000, memory: '1Gi' }
const connected: BootWish = { ...running, goal: 'AgentConnected' }

function seen(minutes: number, copy?: string, guest?: string, agent: boolean = false, of: string = nameOf('a')): BootObservation {
  const creationTimestamp = new Date(nowMs - minutes * 60_000).toISOString()
  return {
    vm: {
      metadata: { name: 'verify', creationTimestamp, annotations: { [names.verifies]: of } },
      spec: { template: { spec: { domain: {} } } },
    } as never,
    copy: copy === undefined ? undefined : ({ metadata: {}, spec: {}, status: { phase: copy } } as never),
    vmi:
      guest === undefined
        ? undefined
        : ({ status: { phase: guest, conditions: agent ? [{ type: 'AgentConnected', status: 'True' }] : [] } } as never),
  }
}

const nothing: BootObservation = { vm: undefined, copy: undefined, vmi: undefined }

const cases: readonly [what: string, step: ReturnType<typeof decideBoot>, expected: string][] = [
  ['no image', decideBoot(undefined, running, nothing, nowMs), 'none'],
  ['no wish', decideBoot(image, undefined, nothing, nowMs), 'none'],
  ['an image that has its result', decideBoot(imported('a', { boot: 'failed' }), running, nothing, nowMs), 'none'],
  ['an image', decideBoot(image, running, nothing, nowMs), 'createVm'],
  ['a VM without disk', decideBoot(image, running, seen(1), nowMs), 'createCopy'],
  ['a VM that waits for its disk', decideBoot(image, running, seen(1, 'CloneInProgress', 'Pending'), nowMs), 'await'],
  ['a guest that runs', decideBoot(image, running, seen(1, 'Succeeded', 'Running'), nowMs), 'record passed'],
  ['a guest without agent', decideBoot(image, connected, seen(1, 'Succeeded', 'Running'), nowMs), 'await'],
  ['a guest with its agent', decideBoot(image, connected, seen(1, 'Succeeded', 'Running', true), nowMs), 'record passed'],
  ['a guest without agent for too long', decideBoot(image, connected, seen(11, 'Succeeded', 'Running'), nowMs), 'record failed'],
  ['a guest that has failed', decideBoot(image, running, seen(1, 'Succeeded', 'Failed'), nowMs), 'record failed'],
  ['a disk that could not be copied', decideBoot(image, running, seen(1, 'Failed'), nowMs), 'record failed'],
  ['the VM of another image', decideBoot(image, running, seen(1, 'Succeeded', 'Running', false, 'b'), nowMs), 'remove'],
  ['a VM after the result', decideBoot(undefined, running, seen(1, 'Succeeded', 'Running'), nowMs), 'remove'],
]

suite('decideBoot() with', () => {
  for (const [what, step, expected] of cases)
    test(what, () => assert.equal(step.kind === 'record' ? `record ${step.result}` : step.kind, expected))
})

test('an image boots with the hardware that it asks for', () => {
  const { cron } = observed({ annotations: { [names.verifyBoot]: 'Running', [names.verifyMemory]: '64Mi', [names.verifyTimeout]: '90s' } })
  const wish = bootWishOf(cron)
  assert.deepEqual(wish, { goal: 'Running', timeoutMs: 90_000, memory: '64Mi' })
  assert.ok(wish !== undefined && image.claim !== undefined)
  const owner = { apiVersion: 'a/v1', kind: 'b', name: 'c', uid: 'd' }
  assert.equal(bootVmOf(cron, image, wish, owner).spec.template.spec?.domain.memory?.guest, '64Mi')
  const labels = { 'instancetype.kubevirt.io/default-instancetype': 'u1.small', 'instancetype.kubevirt.io/default-preference': 'fedora' }
  const labeled = { ...image, claim: { ...image.claim, metadata: { ...image.claim.metadata, labels } } }
  const vm = bootVmOf(cron, labeled, wish, owner)
  assert.deepEqual([vm.spec.instancetype, vm.spec.preference], [{ name: 'u1.small' }, { name: 'fedora' }])
  assert.equal(vm.spec.template.spec?.domain.memory, undefined)
  assert.deepEqual(bootCopyOf(image, vm).spec.source, { pvc: { namespace: 'images', name: nameOf('a') } })
})
