import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { upgradeSpanId } from '#runtime/tracing/span-id.ts'
import { spanOfMigration } from './migration-spans.ts'
import { updateNames } from './names.ts'

const at = (minute: number): string => `2026-05-01T10:${String(minute).padStart(2, '0')}:00Z`
const upgrade = { traceID: 'ab'.repeat(16), startedAt: at(5) }

interface Changes {
  readonly phase?: string
  readonly created?: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly state?: object
}

function migration(changes: Changes = {}): VirtualMachineInstanceMigration {
  const { phase = 'Succeeded', created = 6, annotations = { [updateNames.migrationAnnotation]: '' } } = changes
  const { state = { sourceNode: 'a', targetNode: 'b', endTimestamp: at(8) } } = changes
  return {
    metadata: { name: 'm', namespace: 'shop', uid: 'u', creationTimestamp: at(created), annotations },
    spec: { vmiName: 'db' },
    status: { phase, migrationState: state },
  } as unknown as VirtualMachineInstanceMigration
}

suite('spanOfMigration()', () => {
  test('is below the upgrade, and the same each time', () => {
    const span = spanOfMigration(migration(), upgrade)
    assert.deepEqual(
      [span?.traceId, span?.parentId, span?.startMs, span?.endMs, span?.failure],
      [upgrade.traceID, upgradeSpanId(upgrade.traceID), Date.parse(at(6)), Date.parse(at(8)), undefined],
    )
    assert.deepEqual(span?.attributes['steadyvm.object.name'], 'db')
    assert.equal(spanOfMigration(migration(), upgrade)?.spanId, span?.spanId)
  })

  for (const [title, changes] of [
    ['goes on', { phase: 'Running' }],
    ['is from before the upgrade', { created: 4 }],
    ['a user has asked for', { annotations: {} }],
  ] as const)
    test(`is none for a migration that ${title}`, () => assert.equal(spanOfMigration(migration(changes), upgrade), undefined))

  test('says why it failed', () => {
    const failed = migration({ phase: 'Failed', state: { endTimestamp: at(9), failureReason: 'no room' } })
    assert.equal(spanOfMigration(failed, upgrade)?.failure, 'no room')
    assert.equal(spanOfMigration(migration({ phase: 'Failed', state: {} }), upgrade)?.failure, 'the migration failed')
  })
})
