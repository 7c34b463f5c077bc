import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { forbidden, notFound } from '#apimachinery/errors.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client, ListOptions } from '#client/client.ts'
import { takeReport } from './take-report.ts'
import { healthy } from './inventory.fixture.ts'

const web = healthy('web')
const nowMs = Date.parse('2026-01-01T12:00:00Z')

type Lists = (plural: string, look: number) => readonly object[] | Error

/**
 * A client that answers by kind, and by how often that kind was asked for; in pages of one object.
 */
function clientOf(lists: Lists): { readonly client: Pick<Client, 'list'>; readonly asked: string[] } {
  const asked: string[] = []
  const looks = new Map<string, number>()
  const list = async ({ plural }: ResourceType<unknown>, { namespace = '*', continue: next }: ListOptions = {}): Promise<object> => {
    const page = Number(next ?? '0')
    if (page === 0) looks.set(plural, (looks.get(plural) ?? 0) + 1)
    asked.push(`${namespace}/${plural}`)
    const items = lists(plural, looks.get(plural) ?? 0)
    if (items instanceof Error) throw items
    return { metadata: page + 1 < items.length ? { continue: String(page + 1) } : {}, items: items.slice(page, page + 1) }
  }
  return { client: { list } as unknown as Pick<Client, 'list'>, asked }
}

function found({ findings }: Awaited<ReturnType<typeof takeReport>>): string[] {
  return findings.map(({ state, revision }) => `${state} ${revision}`)
}

suite('takeReport()', () => {
  test('reads all pages of all kinds', async () => {
    const { client } = clientOf((plural) =>
      plural === 'controllerrevisions' ? web.revisions : plural === 'virtualmachines' ? [web.vm] : [],
    )
    const report = await takeReport(client, { nowMs })
    assert.equal(report.revisions, 2)
    assert.deepEqual([found(report), report.gaps], [[], []])
  })

  test('does not report an object as missing that was created between two lists', async () => {
    const { client } = clientOf((plural, look) => {
      if (plural === 'virtualmachines') return [web.vm]
      return plural === 'controllerrevisions' ? web.revisions.slice(0, look) : []
    })
    assert.deepEqual(found(await takeReport(client, { nowMs })), [])
  })

  test('does not report an object as orphaned whose owner was listed before it existed', async () => {
    const { client } = clientOf((plural, look) => {
      if (plural === 'virtualmachines') return look === 1 ? [] : [web.vm]
      return plural === 'controllerrevisions' ? web.revisions : []
    })
    assert.deepEqual(found(await takeReport(client, { nowMs })), [])
  })

  test('keeps findings that both reads have, and drops those of the second one only', async () => {
    const other = healthy('other')
    const { client } = clientOf((plural, look) => {
      if (plural === 'virtualmachines') return look === 1 ? [web.vm] : [web.vm, other.vm]
      return plural === 'controllerrevisions' ? web.revisions.slice(0, 1) : []
    })
    assert.deepEqual(found(await takeReport(client, { nowMs })), [`missing ${web.revisions[1]?.metadata.name}`])
  })

  test('reports kinds that it may not read, and then calls no version safe', async () => {
    const { client } = clientOf((plural) =>
      plural === 'customresourcedefinitions' ? forbidden({ group: '', plural } as never, '', 'no') : [],
    )
    const { gaps, versions } = await takeReport(client, { nowMs })
    assert.equal(gaps.length, 1)
    assert.ok(versions.every(({ safeToRemove }) => safeToRemove !== 'yes'))
  })

  test('continues without kinds that the cluster does not serve, but fails without VMs', async () => {
    const without = (gone: string): Pick<Client, 'list'> =>
      clientOf((plural) => (plural === gone ? notFound({ group: '', plural } as never, '') : [])).client
    assert.deepEqual((await takeReport(without('virtualmachinesnapshots'), { nowMs })).gaps, [])
    await assert.rejects(takeReport(without('virtualmachines'), { nowMs }), { reason: 'NotFound' })
  })

  test('reads one namespace on request, and cluster-scoped objects', async () => {
    const { client, asked } = clientOf(() => [])
    await takeReport(client, { nowMs, namespace: 'team' })
    assert.ok(asked.includes('team/controllerrevisions'))
    for (const everywhere of ['kubevirts', 'virtualmachineclusterpreferences', 'customresourcedefinitions'])
      assert.ok(asked.includes(`*/${everywhere}`), everywhere)
  })
})
