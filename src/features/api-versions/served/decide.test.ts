import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CustomResourceConversion, CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { decide } from './decide.ts'

const conversion: CustomResourceConversion = {
  strategy: 'Webhook',
  webhook: { clientConfig: { url: 'https://here/convert', caBundle: 'x' }, conversionReviewVersions: ['v1'] },
}
const elsewhere: CustomResourceConversion = {
  strategy: 'Webhook',
  webhook: { clientConfig: { url: 'https://elsewhere/convert' }, conversionReviewVersions: ['v1'] },
}

interface State {
  readonly served: boolean
  readonly conversion?: CustomResourceConversion
  readonly stored?: readonly string[]
}

function definitionOf({ served, conversion: present, stored = ['v1beta1'] }: State): CustomResourceDefinition {
  return {
    metadata: { name: 'things.test' },
    spec: {
      group: 'test',
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things' },
      ...(present === undefined ? {} : { conversion: present }),
      versions: [
        { name: 'v1beta1', served: true, storage: true },
        { name: 'v1', served, storage: false },
      ],
    },
    status: { storedVersions: [...stored] },
  }
}

const none: CustomResourceConversion = { strategy: 'None' }
const rows: readonly { reason: string; state: State; served: boolean; want: State | undefined }[] = [
  { reason: 'it is in its shipped state, and the gate is disabled', state: { served: false }, served: false, want: undefined },
  { reason: 'the gate is enabled', state: { served: false, conversion: none }, served: true, want: { served: true, conversion } },
  { reason: 'it is served already', state: { served: true, conversion }, served: true, want: undefined },
  { reason: 'the CRD was reinstalled', state: { served: true, conversion: none }, served: true, want: { served: true, conversion } },
  {
    reason: 'the webhook address has changed',
    state: { served: true, conversion: elsewhere },
    served: true,
    want: { served: true, conversion },
  },
  { reason: 'the gate was disabled', state: { served: true, conversion }, served: false, want: { served: false, conversion: none } },
  {
    reason: 'objects are stored in it after the gate was disabled',
    state: { served: true, conversion, stored: ['v1beta1', 'v1'] },
    served: false,
    want: { served: false, conversion },
  },
]

suite('decide()', () => {
  for (const { reason, state, served, want } of rows) {
    test(`${want === undefined ? 'leaves' : 'changes'} the definition: ${reason}`, () => {
      const definition = definitionOf(state)
      const patch = decide(definition, { version: 'v1', served, conversion })
      if (want === undefined) return assert.equal(patch, undefined)
      const changed = applyMergePatch(definition, patch)
      assert.deepEqual(changed, definitionOf({ ...state, ...want }))
      assert.equal(decide(changed as CustomResourceDefinition, { version: 'v1', served, conversion }), undefined, 'and rests')
    })
  }

  test('does not change a CRD that lacks the version or is being deleted', () => {
    assert.equal(decide(definitionOf({ served: false }), { version: 'v2', served: true, conversion }), undefined)
    const { metadata, ...rest } = definitionOf({ served: false })
    const going = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    assert.equal(decide(going, { version: 'v1', served: true, conversion }), undefined)
  })
})
