import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { repository } from '../support/machine.ts'

/** A file, and the title of a test in it, or a part of the title. */
type Proof = readonly [file: string, title: string]

const paths = 'test/upgrade-matrix/upgrade-paths.test.ts'
const faults = 'test/upgrade-matrix/faults.test.ts'
const guests = 'test/upgrade-matrix/guests.test.ts'
const operator = 'src/features/operator/simulation.test.ts'
const schedules = 'src/features/operator/fault-schedules.test.ts'
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
  'from any patch of the previous version': [
    [paths, 'a patch of the previous version'],
    [operator, 'upgrades the agents first and the API last, and is never Degraded meanwhile'],
    [processes, 'to a newer version: new VMs can be created meanwhile, and the guest keeps running'],
  ],
  'several versions at once': [
    [operator, 'keeps objects that only the older version needs for some time, and then removes them'],
    [faults, 'keeps its stored versions until all objects are migrated'],
    [lane, 'to the next version but one, and guests are migrated'],
  ],
  'the same version from another registry': [
    [paths, 'that is the same version from another registry'],
    [paths, 'is rolled back from the same version in another registry if that does not start'],
  ],
  'the target changes during an upgrade': [
    [operator, 'from any stage when the target changes'],
    [schedules, 'it converges, and every component has its RBAC and CRDs'],
  ],
  'the operator is killed at each stage': [
    [kills, 'while it upgrades: in order, and every component has its RBAC and CRDs'],
    [operator, 'any of its writes'],
    [processes, 'succeeds although the operator is killed at each stage, and once loses its lease to a dead process'],
    [steps, 'every guest runs exactly once'],
  ],
  'the leader is lost': [
    [paths, 'while a former leader that has not noticed the loss of its lease still works'],
    [processes, 'succeeds although the operator is killed at each stage, and once loses its lease to a dead process'],
  ],
  'a node is not ready': [
    [operator, 'does not wait for a node that is not ready, and upgrades it later'],
    [schedules, 'it converges, and every component has its RBAC and CRDs'],
  ],
  'the first agent crashes repeatedly': [
    [operator, 'runs it on at most one node, and does not retry it by itself'],
    [kills, 'while it rolls back a release that does not start: at most one node has run it'],
    [broken, 'runs on at most one node, and is rolled back with a reason in the status'],
  ],
  'the API does not answer during a drain': [
    ['src/features/eviction/intercept.test.ts', 'refuses when the API cannot be read'],
    ['test/crash/drain.test.ts', 'while a node is drained: every guest continues on another node, after one migration'],
    ['test/e2e/guest-drain.test.ts', 'while virt-api hangs, the PodDisruptionBudget refuses the eviction'],
    ['test/e2e/guest-drain.test.ts', 'without the webhook, the PodDisruptionBudget refuses the eviction'],
    [steps, 'every guest runs exactly once'],
  ],
  'thousands of guests in an old launcher': [
    ['src/features/workload-update/simulation/simulation.test.ts', 'update every updatable guest, and report a reason for each other one'],
    ['test/simulation/simulation.test.ts', 'guests migrates all migratable guests, within every limit at every instant'],
  ],
  'a guest that must not stop and cannot move': [
    ['src/features/workload-update/decide.test.ts', 'that can neither be migrated nor stopped reports it'],
    ['test/crash/drain.test.ts', 'while guests are updated: each is migrated once or stopped once, and no other guest is'],
    ['test/e2e/node-drain.long.test.ts', 'fails with the name of the guest that cannot migrate, and uncordon reverts it'],
    ['test/e2e/workload-update.test.ts', 'migrates guests when it is enabled; the VM of an unmovable guest shows the reason'],
  ],
  'a single node': [
    [paths, 'on a single node'],
    [guests, 'that are outdated report the missing target, and are migrated once each when a node is added'],
    [guests, 'that is drained report the missing target, and clear the report when it is uncordoned'],
  ],
  'objects stored in an old version': [
    ['src/features/operator/install/crds.test.ts', 'grow and shrink'],
    [faults, 'keeps its stored versions until all objects are migrated'],
    ['test/e2e/storage-versions.test.ts', 'rewrites them, after which the old version can be removed'],
  ],
  'an instance type deleted before the first start': [
    [guests, 'starts with its captured revision, under a controller that has never seen the type'],
    [guests, 'while no controller ran: reports the missing type, and starts when it is recreated'],
  ],
  'rollback before and after the removal of old objects': [
    [operator, 'can roll back before and after that, and removes no kind'],
    [processes, 'back to the older version'],
    [lane, 'back, while guests stay in the newer hypervisor'],
  ],
  'certificates expire during an upgrade': [
    [faults, 'during an upgrade are replaced, and the upgrade continues'],
    [processes, 'back again succeeds although the certificate of virt-api expires without a running operator'],
  ],
  'users edit managed objects': [
    [faults, 'is restored at every stage'],
    [operator, 'restores edited components'],
    [schedules, 'it converges, and every component has its RBAC and CRDs'],
  ],
}

suite('an upgrade tolerates', () => {
  for (const [row, proofs] of Object.entries(matrix)) {
    test(row, () => {
      for (const [file, title] of proofs)
        assert.ok(readFileSync(join(repository, file), 'utf8').includes(title), `${file} has no "${title}"`)
    })
  }
})
