import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compilePolicies } from '../compile/compile-policies.ts'
import { guestPod, policyOf } from '../kubernetes-semantics.fixture.ts'
import { filterTable, type FilterTable } from './filter-table.ts'
import { openTransaction } from './open-guests.ts'
import { transaction } from './transaction.ts'

const web = guestPod('10.77.1.1', 'shop', { app: 'web' })
const db = guestPod('10.77.1.2', 'shop', { app: 'db' })
const onlyDb = { podSelector: { matchLabels: { app: 'db' } } }
const closed = policyOf('shop', 'closed', { ...onlyDb, ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }] })
const tableOf = (pods: readonly (typeof web)[], policies = [closed]): FilterTable =>
  filterTable(compilePolicies({ policies, pods, namespaces: [], prefix: '10.77' }))

suite('transaction()', () => {
  test('replaces a table whose content is unknown', () => {
    assert.match(transaction(undefined, tableOf([db])), /^table ip policies\ndelete table ip policies\ntable ip policies \{\n/)
  })

  test('is empty when nothing differs', () => {
    assert.equal(transaction(tableOf([web, db]), tableOf([web, db])), '')
  })

  test('writes no rules when a guest comes that no policy selects', () => {
    const text = transaction(tableOf([db]), tableOf([db, web]))
    const names = [...text.matchAll(/^ {2}(\w+ [\w-]+) \{/gm)].map(([, name = '']) => name.replace(/-[0-9a-f]{16}$/, ''))
    assert.deepEqual(names, ['set guests', 'set own', 'set group'])
    assert.doesNotMatch(text, /chain/)
  })

  test('deletes the chains of a policy that selects no guest any more, after what leads to them', () => {
    const text = transaction(tableOf([web, db]), tableOf([web]))
    assert.match(text, /flush map ip policies ingress\n[^]*delete chain ip policies ingress-[0-9a-f]{16}\n/)
    assert.match(text, /delete set ip policies group-/)
  })
})

test('openTransaction() replaces the open guests when they differ', () => {
  assert.equal(openTransaction(['10.77.1.1'], ['10.77.1.1']), '')
  assert.match(openTransaction(['10.77.1.1'], []), /flush set bridge pods open\n$/)
  assert.match(openTransaction(undefined, ['10.77.1.1', '10.77.1.2']), /add element bridge pods open \{ 0x0a4d0101, 0x0a4d0102 \}\n$/)
})
