import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { repository } from '../support/machine.ts'

/** A file, and what a test in it is called, or a part of that. */
type Proof = readonly [file: string, title: string]

const ways = 'test/upgrade-matrix/upgrade-paths.test.ts'
const surroundings = 'test/upgrade-matrix/faults.test.ts'
const guests = 'test/upgrade-matrix/guests.test.ts'
const operator = 'src/features/operator/simulation.test.ts'
const storm = 'src/features/operator/fault-schedules.test.ts'
const kills = 'test/crash/upgrade.test.ts'
const steps = 'test/crash/steps.long.test.ts'
const processes = 'test/e2e/upgrade.test.ts'
const lane = 'test/e2e/upgrade-lane.long.test.ts'
const broken = 'test/e2e/broken-releases.long.test.ts'

/**
 * Conditions that an upgrade must tolerate, and their proofs: first with the real reconcilers, then
 * with real processes.
 */
const matrix: Readonly<Record<string, readonly Proof[]>> = {
  'from any patch of the version before': [
    [ways, 'a patch of the one before'],
    [operator, 'brings a newer version from the agents up, the API last, and is never degraded by it'],
    [processes, 'to a newer one, while new VMs can be asked for and the guest goes on'],
  ],
  'several versions at once': [
    [operator, 'keeps what only the older version needs until a while after, and then not'],
    [surroundings, 'keeps the version that objects are stored in, until they are not any more'],
    [lane, 'to the next but one, and the guests follow'],
  ],
  'the same version from elsewhere': [
    [ways, 'that is the same version out of another registry'],
    [ways, 'and back from the same version out of another registry, when that does not start'],
  ],
  'the target changes on the way': [
    [operator, 'from wherever it is when the target changes'],
    [storm, 'it converges, and every component has its RBAC and CRDs'],
  ],
  'the operator is killed at each stage': [
    [kills, 'while it upgrades: in order, and every component has its RBAC and CRDs'],
    [operator, 'any of its writes'],
    [processes, 'while the operator is killed at each stage, and once loses its lease to a missing process'],
    [steps, 'every guest lives, and once'],
  ],
  'the leader is lost': [
    [ways, 'while a leader that has lost its lease, and does not know it, works beside the new one'],
    [processes, 'while the operator is killed at each stage, and once loses its lease to a missing process'],
  ],
  'a node is not ready': [
    [operator, 'does not wait for a node that is not ready, and catches up with it'],
    [storm, 'it converges, and every component has its RBAC and CRDs'],
  ],
  'the first agent ends again and again': [
    [operator, 'has it on one node at most, and does not try it again by itself'],
    [kills, 'while it takes back what does not start: one node at most has had it'],
    [broken, 'gets to one node at most, is taken back, and it is said why'],
  ],
  'nobody answers for the API during a drain': [
    ['src/features/eviction/intercept.test.ts', 'refuses when the API cannot be read'],
    ['test/crash/drain.test.ts', 'while a node is drained: every guest lives on elsewhere, and has moved once'],
    ['test/e2e/guest-drain.test.ts', 'while virt-api hangs, its budget refuses in its place'],
    ['test/e2e/guest-drain.test.ts', 'while the webhook is away, its budget refuses in its place'],
    [steps, 'every guest lives, and once'],
  ],
  'thousands of guests in an old launcher': [
    ['src/features/workload-update/simulation/simulation.test.ts', 'update every guest that can be, and report a reason for each other'],
    ['test/simulation/simulation.test.ts', 'guests migrates all migratable guests, within every limit at every instant'],
  ],
  'a guest that must not stop and cannot move': [
    ['src/features/workload-update/decide.test.ts', 'that cannot move and must not be stopped says so'],
    ['test/crash/drain.test.ts', 'while guests are updated: each moves once, or is stopped once, and no other guest does'],
    ['test/e2e/node-drain.long.test.ts', 'ends in the refusal that names the one that cannot move, and uncordon undoes it'],
    ['test/e2e/workload-update.test.ts', 'when they are allowed to, but for the one that cannot move, which says why on its VM'],
  ],
  'a single node': [
    [ways, 'on a single node'],
    [guests, 'that are outdated say that there is nowhere to go, and move once each when there is'],
    [guests, 'that is drained say that there is nowhere to go, and are forgotten when it is opened again'],
  ],
  'objects stored in an old version': [
    ['src/features/operator/install/crds.test.ts', 'grow and shrink'],
    [surroundings, 'keeps the version that objects are stored in, until they are not any more'],
    ['test/e2e/storage-versions.test.ts', 'the command rewrites them, after which the old version can be removed'],
  ],
  'an instance type deleted before the first start': [
    [guests, 'starts with what it named, under a controller that has never seen the type'],
    [guests, 'while no controller was there: says that it is missing, and starts when it is there again'],
  ],
  'back, before the old is taken away and after': [
    [operator, 'goes back before and after that, and takes no kind away by it'],
    [processes, 'back to the older one'],
    [lane, 'back, while guests stay in the hypervisor that they have come to'],
  ],
  'certificates expire on the way': [
    [surroundings, 'in the middle of an upgrade are replaced, and it goes on'],
    [processes, 'back again, while the certificate of virt-api expires without a running operator'],
  ],
  'users edit what the operator manages': [
    [surroundings, 'is put right at every stage'],
    [operator, 'restores edited components'],
    [storm, 'it converges, and every component has its RBAC and CRDs'],
  ],
}

suite('an upgrade bears', () => {
  for (const [row, proofs] of Object.entries(matrix)) {
    test(row, () => {
      for (const [file, title] of proofs)
        assert.ok(readFileSync(join(repository, file), 'utf8').includes(title), `${file} has no "${title}"`)
    })
  }
})
