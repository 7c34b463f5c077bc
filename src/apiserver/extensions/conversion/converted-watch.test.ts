import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import fc from 'fast-check'

import type { ConversionReview } from '#api/apiextensions/v1/conversion-review.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Target, WatchOutput } from '#apiserver/request/api-request.ts'
import { type Loose, noListQuery, noWatchQuery, startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { customVersions } from '../custom-resources.ts'

const group = 'model.example.com'
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } as const
const crd: CustomResourceDefinition = {
  metadata: { name: `things.${group}`, uid: 'u' },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://example.com' }, conversionReviewVersions: ['v1'] } },
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ],
  },
}

/** A webhook that answers on demand, in any order. */
class SlowWebhook {
  readonly #waiting: (() => void)[] = []

  async post(_webhook: unknown, review: object): Promise<unknown> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
    const { request, apiVersion, kind } = review as Required<ConversionReview>
    const convertedObjects = request.objects.map((object) => ({ ...object, apiVersion: request.desiredAPIVersion, by: 'webhook' }))
    return { apiVersion, kind, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } }
  }

  answer(choice: number): void {
    const [resolve] = this.#waiting.splice(choice % Math.max(1, this.#waiting.length), 1)
    resolve?.()
  }

  get waiting(): number {
    return this.#waiting.length
  }
}

type Step =
  | { readonly kind: 'write'; readonly name: string; readonly value: number }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'watch'; readonly fromNow: boolean; readonly selects: boolean }
  | { readonly kind: 'answer'; readonly choice: number }

const name = fc.constantFrom('a', 'b', 'c')
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), name, value: fc.nat({ max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('watch' as const), fromNow: fc.boolean(), selects: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const), choice: fc.nat({ max: 5 }) }) },
  ),
  { minLength: 5, maxLength: 40 },
)

/** Builds the state from events, and rejects impossible ones. */
class ObservedState {
  readonly state = new Map<string, string>()
  #last = 0

  take(output: WatchOutput): void {
    if (output.type === 'BOOKMARK') return
    const { entry, type, change } = output
    const { object } = entry
    const key = object.metadata?.name ?? ''
    assert.equal(object.apiVersion, `${group}/v2`)
    if (change !== undefined) {
      assert.ok(entry.revision > this.#last, 'revisions only go up')
      this.#last = entry.revision
    }
    assert.equal(this.state.has(key), type !== 'ADDED', `${type} ${key}`)
    if (type === 'DELETED') this.state.delete(key)
    else this.state.set(key, JSON.stringify(object))
  }
}

test('watch in a converted version converges to the list, whenever the webhook answers', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (schedule) => {
      const webhook = new SlowWebhook()
      await using server = await startTestServer()
      for (const { definition } of customVersions(crd, { caller: webhook, randomUuid: randomUUID })) server.registry.add(definition)
      const target = (version: string, at = ''): Target => {
        const definition = server.registry.find(group, version, 'things')
        assert.ok(definition !== undefined)
        return { definition, namespace: 'default', name: at, subresource: '' }
      }
      const options = { dryRun: false, fieldValidation: 'Ignore' } as const
      const stop = new AbortController()
      const watches: { observed: ObservedState; selects: boolean; ended: Promise<void> }[] = []
      const write = async (key: string, value: number): Promise<void> => {
        const object: Loose = { metadata: { name: key, namespace: 'default', labels: { value: String(value) } }, value }
        const patch = { type: 'merge', body: { metadata: object.metadata, value } } as const
        const isThere = server.store.get(`${group}/things`, 'default', key) !== undefined
        await (isThere
          ? server.verbs.patch(target('v1', key), patch, options, server.context)
          : server.verbs.create(
              target('v1'),
              { object: { apiVersion: `${group}/v1`, kind: 'Thing', ...object }, duplicates: [] },
              options,
              server.context,
            ))
      }
      for (const step of schedule) {
        if (step.kind === 'answer') webhook.answer(step.choice)
        else if (step.kind === 'write') await write(step.name, step.value)
        else if (step.kind === 'delete') {
          await server.verbs.delete(target('v1', step.name), { dryRun: false }, server.context).catch((error: unknown) => {
            if (!isNotFound(error) && !isConflict(error)) throw error
          })
        } else {
          const observed = new ObservedState()
          const query = {
            ...noWatchQuery,
            labelSelector: step.selects ? 'value in (0,1)' : '',
            resourceVersion: step.fromNow ? '' : '1',
          }
          const ended = server.verbs.watch(target('v2'), query, (output) => observed.take(output), {
            ...server.context,
            signal: stop.signal,
          })
          watches.push({ observed, selects: step.selects, ended })
        }
        await nextTurn()
      }
      for (let idle = 0; idle < 3; idle = webhook.waiting === 0 ? idle + 1 : 0) {
        webhook.answer(0)
        await nextTurn()
      }
      const listing = server.verbs.list(target('v2'), noListQuery, server.context)
      while (webhook.waiting > 0 || !(await Promise.race([listing.then(() => true), nextTurn(false)]))) webhook.answer(0)
      const { entries } = await listing
      stop.abort()
      for (const { observed, selects, ended } of watches) {
        await ended
        const wanted = entries
          .map(({ object }) => object)
          .filter(({ metadata }) => !selects || ['0', '1'].includes(metadata?.labels?.['value'] ?? ''))
          .map((object) => [object.metadata?.name ?? '', JSON.stringify(object)] as const)
        assert.deepEqual(observed.state, new Map(wanted))
      }
    }),
    { numRuns: 50 },
  )
})
