import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { validateDefinition } from './validate-definition.ts'

const properties = {
  spec: { type: 'object', properties: { cron: { type: 'string' }, list: { type: 'array', items: { type: 'string' } } } },
} as const

function version(name: string, more: Partial<CustomResourceDefinitionVersion> = {}): CustomResourceDefinitionVersion {
  return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: { type: 'object', properties } }, ...more }
}

function crd(spec: Partial<CustomResourceDefinitionSpec> = {}, more: Partial<CustomResourceDefinition> = {}): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names?.plural ?? 'tabs'}.${spec.group ?? 'example.com'}` },
    status: { storedVersions: ['v1'] },
    ...more,
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'tabs', singular: 'tab', kind: 'Tab', listKind: 'TabList' },
      versions: [version('v1')],
      ...spec,
    },
  }
}

const established = { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1'] } as const

function faultsOf(definition: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  return validateDefinition(definition, old).map(({ field, message }) => `${field}: ${message}`)
}

const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const withVersion = (more: Partial<CustomResourceDefinitionVersion>): CustomResourceDefinition => crd({ versions: [version('v1', more)] })
const webhook = { clientConfig: { url: 'https://example.com/convert' }, conversionReviewVersions: ['v1'] }

const cases: readonly { readonly reason: string; readonly definition: CustomResourceDefinition; readonly want: readonly string[] }[] = [
  { reason: 'a plain definition', definition: crd(), want: [] },
  {
    reason: 'a name that is not plural and group',
    definition: crd({}, { metadata: { name: 'x.example.com' } }),
    want: ['metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group'],
  },
  {
    reason: 'a group without a dot',
    definition: crd({ group: 'example' }),
    want: ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  },
  {
    reason: 'names that are no host names',
    definition: crd({
      names: { plural: 'tabs', singular: 'Tab', kind: 'T_b', listKind: 'T_b', shortNames: ['1t'], categories: ['A'] },
    }),
    want: [
      `spec.names.singular: Invalid value: "Tab": ${label}`,
      `spec.names.kind: Invalid value: "T_b": may have mixed case, but should otherwise match: ${label}`,
      `spec.names.listKind: Invalid value: "T_b": may have mixed case, but should otherwise match: ${label}`,
      `spec.names.shortNames[0]: Invalid value: "1t": ${label}`,
      'spec.names.listKind: Invalid value: "T_b": kind and listKind may not be the same',
      `spec.names.categories[0]: Invalid value: "A": ${label}`,
    ],
  },
  {
    reason: 'no schema',
    definition: crd({ versions: [{ name: 'v1', served: true, storage: true }] }),
    want: ['spec.versions[0].schema.openAPIV3Schema: Required value'],
  },
  {
    reason: 'the schema that all versions share',
    definition: crd({ versions: [version('v1', { schema: { openAPIV3Schema: {} } }), version('v2', { schema: { openAPIV3Schema: {} } })] }),
    want: ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
  },
  {
    reason: 'one of several schemas',
    definition: crd({ versions: [version('v1'), version('v2', { schema: { openAPIV3Schema: {} } })] }),
    want: ['spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root'],
  },
  {
    reason: 'two storage versions of the same name',
    definition: crd({ versions: [version('v1'), version('v1')] }),
    want: [
      'spec.versions: Invalid value: []interface {}{"v1", "v1"}: must contain unique version names',
      'spec.versions: Invalid value: []interface {}{"v1", "v1"}: must have exactly one version marked as storage version',
    ],
  },
  {
    reason: 'columns',
    definition: withVersion({
      additionalPrinterColumns: [
        { name: '', type: 'text', format: 'x', jsonPath: 'spec.cron' },
        { name: 'A', type: 'string', jsonPath: '.spec[' },
      ],
    }),
    want: [
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.cron": must be a simple json path starting with .',
      'spec.additionalPrinterColumns[1].JSONPath: Invalid value: ".spec[": JSONPath ".spec[" cannot be read: an index is missing at position 6',
    ],
  },
  {
    reason: 'selectable fields',
    definition: withVersion({
      selectableFields: ['.spec.cron', '.spec.cron', '.spec.list', '.spec.none', '.metadata.name', ''].map((jsonPath) => ({ jsonPath })),
    }),
    want: [
      'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.cron"',
      'spec.selectableFields[2].jsonPath: Invalid value: ".spec.list": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec.none": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[4].jsonPath: Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[5].jsonPath: Required value',
    ],
  },
  {
    reason: 'scale paths',
    definition: withVersion({ subresources: { scale: { specReplicasPath: '.status.n', statusReplicasPath: '', labelSelectorPath: 'x' } } }),
    want: [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Required value',
      'spec.subresources.scale.labelSelectorPath: Invalid value: "x": must be a simple json path starting with .',
    ],
  },
  {
    reason: 'deprecation warnings',
    definition: crd({
      versions: [
        version('v1', { deprecationWarning: 'old' }),
        version('v2', { deprecated: true, deprecationWarning: '' }),
        version('v3', { deprecated: true, deprecationWarning: 'a\n' + 'b'.repeat(256) }),
      ],
    }),
    want: [
      'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
      'spec.versions[1].deprecationWarning: Invalid value: "": must not be an empty string',
      `spec.versions[2].deprecationWarning: Invalid value: "a\\n${'b'.repeat(256)}": must be <= 256 characters long`,
      `spec.versions[2].deprecationWarning: Invalid value: "a\\n${'b'.repeat(256)}": must only contain printable UTF-8 characters; non-printable character found at index 1`,
    ],
  },
  {
    reason: 'a webhook without a strategy for it',
    definition: crd({ conversion: { strategy: 'None', webhook } }),
    want: [
      'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
    ],
  },
  { reason: 'conversion by webhook', definition: crd({ conversion: { strategy: 'Webhook', webhook } }), want: [] },
  {
    reason: 'a webhook that cannot be reached and speaks nothing that is known',
    definition: crd({
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'http://h/?a=b' }, conversionReviewVersions: ['v3', 'v3'] } },
    }),
    want: [
      `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'spec.conversion.webhookClientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL',
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v3": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: []interface {}{"v3", "v3"}: must include at least one of v1, v1beta1',
    ],
  },
  {
    reason: 'undeclared fields',
    definition: crd({ preserveUnknownFields: true }),
    want: [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  },
]

suite('validateDefinition()', () => {
  for (const { reason, definition, want } of cases) test(`checks ${reason}`, () => assert.deepEqual(faultsOf(definition), want))

  test('requires approval in *.k8s.io groups, except where it was missing before', () => {
    const field = 'metadata.annotations[api-approved.kubernetes.io]'
    const approved = (text?: string): CustomResourceDefinition =>
      crd(
        { group: 'x.k8s.io' },
        { metadata: { name: 'tabs.x.k8s.io', ...(text === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': text } }) } },
      )
    assert.deepEqual(faultsOf(approved()), [
      `${field}: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`,
    ])
    assert.equal(faultsOf(approved('yes')).length, 1)
    assert.deepEqual(faultsOf(approved('https://github.com/kubernetes/kubernetes/pull/1')), [])
    assert.deepEqual(faultsOf(approved('unapproved, experimental')), [])
    assert.deepEqual(faultsOf(approved(), approved()), [])
  })

  test('keeps group and plural, and scope and kind once established', () => {
    const other = crd({
      scope: 'Cluster',
      names: { plural: 'tubs', singular: 'tub', kind: 'Tub', listKind: 'TubList' },
      group: 'example.org',
    })
    const fields = (old: CustomResourceDefinition): string[] =>
      validateDefinition(other, old).map(({ field, message }) => (message.endsWith('field is immutable') ? field : message))
    assert.deepEqual(fields(crd()), ['spec.group', 'spec.names.plural'])
    assert.deepEqual(fields(crd({}, { status: { ...established, conditions: [...established.conditions], storedVersions: ['v1'] } })), [
      'spec.scope',
      'spec.names.kind',
      'spec.group',
      'spec.names.plural',
    ])
  })

  test('keeps a version while status.storedVersions names it', () => {
    const old = crd({ versions: [version('v1', { storage: false }), version('v2', { storage: true })] })
    const next = (storedVersions: string[]): string[] =>
      faultsOf(crd({ versions: [version('v2', { storage: true })] }, { status: { storedVersions } }), old)
    assert.deepEqual(next(['v1', 'v2']), [
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ])
    assert.deepEqual(next(['v2']), [])
    assert.deepEqual(next(['v1']).length, 2)
    assert.deepEqual(next([]), ['status.storedVersions: Invalid value: []interface {}{}: must have at least one stored version'])
  })

  test('accepts an unchanged spec that violates newer rules, so that it can be deleted', () => {
    const broken = crd({ versions: [version('v1', { schema: { openAPIV3Schema: {} } })] })
    assert.deepEqual(faultsOf({ ...broken, metadata: { ...broken.metadata, finalizers: [] } }, broken), [])
  })
})
