import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { conflict, forbidden } from '#apimachinery/errors.ts'
import type { Patch } from '#client/client.ts'
import { startTaskWorld, type TaskWorld } from '../task-world.fixture.ts'
import { applyManifest } from './task.ts'

const map = (name: string, namespace?: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: {} })
const subject = { group: '', plural: 'configmaps' }

suite('the task apply-manifest', () => {
  let world: TaskWorld
  beforeEach(async () => {
    world = await startTaskWorld()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  for (const [title, parameters, code, applied] of [
    ['an object is given', { manifest: map('a') }, 0, ['default/a']],
    ['several are given', { manifest: `${map('a')}\n---\n${map('b', 'other')}\n---\n` }, 0, ['default/a', 'other/b']],
    ['a list is given', { manifest: `{"apiVersion":"v1","kind":"List","items":[${map('a')},${map('b')}]}` }, 0, ['default/a', 'default/b']],
    ['a namespace is given', { manifest: map('a'), namespace: 'other' }, 0, ['other/a']],
    ['it is another one than that of the object', { manifest: `${map('b')}\n---\n${map('a', 'third')}`, namespace: 'other' }, 2, []],
    ['nothing is given', {}, 2, []],
    ['the manifest is empty', { manifest: '---\n' }, 2, []],
    ['the manifest is no YAML', { manifest: '{' }, 2, []],
    ['an object has no kind', { manifest: `${map('a')}\n---\na: b` }, 2, []],
    ['an object has no name', { manifest: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"}}' }, 2, []],
    ['there is no such kind', { manifest: map('a').replace('ConfigMap', 'Thing') }, 3, []],
    ['fields belong to others', { manifest: map('taken') }, 4, []],
    ['fields of others are changed', { manifest: map('taken'), force: 'true' }, 0, ['default/taken']],
    ['it is not allowed', { manifest: map('secret') }, 4, []],
    ['force is neither true nor false', { manifest: map('a'), force: 'a bit' }, 2, []],
  ] as const)
    test(`ends with ${code} when ${title}`, async () => {
      const found: string[] = []
      const patch = (
        _: unknown,
        { namespace = '', name }: { readonly namespace?: string; readonly name: string },
        body: Patch,
      ): Promise<never> => {
        assert.ok(body.type === 'apply')
        assert.deepEqual([body.body.metadata?.namespace, body.body.metadata?.name], [namespace, name])
        if (name === 'taken' && body.force !== true) return Promise.reject(conflict(subject, name))
        if (name === 'secret') return Promise.reject(forbidden(subject, name, 'no'))
        found.push(`${namespace}/${name}`)
        return Promise.resolve(undefined as never)
      }
      const end = await world.run(applyManifest, { parameters, client: { ...world.client, patch } })
      assert.equal(end.code, code, end.log)
      assert.deepEqual(found, applied)
    })
})
