import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, Interest } from './object-store.ts'
import { StoredEntry } from './memory/stored-entry.ts'
import { Subscribers } from './subscribers.ts'

function change(revision: number, name: string, namespace?: string, resource = '/pods'): Change {
  const metadata = namespace === undefined ? { name } : { name, namespace }
  return { type: 'ADDED', resource, revision, entry: StoredEntry.fromObject({ metadata }, revision), previous: undefined }
}

/** Subscribers that record their calls, and a publish that returns the called ones. */
function listeners(interests: Readonly<Record<string, Interest | undefined>>): {
  readonly subscribers: Subscribers
  readonly subscriptions: Map<string, Disposable>
  readonly errors: unknown[]
  readonly publish: (change: Change) => string[]
} {
  const errors: unknown[] = []
  const subscribers = new Subscribers((error) => errors.push(error))
  let heard: string[] = []
  const subscriptions = new Map(
    Object.entries(interests).map(([who, interest]) => [who, subscribers.add('/pods', 0, () => heard.push(who), interest)] as const),
  )
  const publish = (published: Change): string[] => {
    heard = []
    subscribers.publish(published)
    return heard.toSorted()
  }
  return { subscribers, subscriptions, errors, publish }
}

test('Subscribers call only those interested in the namespace and name', () => {
  const { publish } = listeners({
    all: undefined,
    namespace: { namespace: 'dev' },
    object: { namespace: 'dev', name: 'a' },
    name: { name: 'a' },
    clusterWide: { namespace: '', name: 'a' },
  })
  assert.deepEqual(publish(change(1, 'a', 'dev')), ['all', 'clusterWide', 'name', 'namespace', 'object'])
  assert.deepEqual(publish(change(2, 'b', 'dev')), ['all', 'namespace'])
  assert.deepEqual(publish(change(3, 'a', 'prod')), ['all', 'clusterWide', 'name'])
  assert.deepEqual(publish(change(4, 'a')), ['all', 'clusterWide', 'name'])
  assert.deepEqual(publish(change(5, 'a', 'dev', '/nodes')), [])
})

test('Subscribers evaluate a shared selection once, also after its first owner is gone', () => {
  const asked: string[] = []
  const selecting = (who: string, answer: boolean): Interest => ({
    selection: { key: 'red', concerns: () => asked.push(who) > 0 && answer },
  })
  const { publish, subscriptions } = listeners({ one: selecting('one', false), two: selecting('two', true), other: undefined })
  assert.deepEqual([publish(change(1, 'a')), asked.splice(0)], [['other'], ['one']])
  subscriptions.get('one')?.[Symbol.dispose]()
  assert.deepEqual([publish(change(2, 'a')), asked.splice(0)], [['other', 'two'], ['two']])
  subscriptions.get('two')?.[Symbol.dispose]()
  subscriptions.get('two')?.[Symbol.dispose]()
  assert.deepEqual([publish(change(3, 'a')), asked.splice(0)], [['other'], []])
})

test('Subscribers call a listener whose selection throws, so that it fails visibly', () => {
  const broken: Interest = {
    selection: {
      key: 'x',
      concerns: () => {
        throw new Error('broken')
      },
    },
  }
  assert.deepEqual(listeners({ broken }).publish(change(1, 'a')), ['broken'])
})

test('Subscribers do not deliver a change to a listener added during it', () => {
  const { subscribers, publish } = listeners({})
  const late: number[] = []
  subscribers.add('/pods', 0, ({ revision }) => {
    if (revision === 1) subscribers.add('/pods', 1, (news) => late.push(news.revision), { namespace: 'dev', name: 'a' })
  })
  publish(change(1, 'a', 'dev'))
  publish(change(2, 'a', 'dev'))
  assert.deepEqual(late, [2])
})
