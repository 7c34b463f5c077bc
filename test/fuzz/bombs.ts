/** A request that is small but expensive, or large. `path` and `type` as sent. */
export interface Bomb {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly type: string
  readonly body: string | Buffer
}

const json = 'application/json'
const configMaps = '/api/v1/namespaces/default/configmaps'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const fuzzed = '/apis/fuzz.example/v1/namespaces/default/fuzzed'

const post = (name: string, path: string, body: string | Buffer | object, type: string = json): Bomb => ({
  name,
  method: 'POST',
  path,
  type,
  body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
})
const patch = (name: string, path: string, type: string, body: string | object): Bomb => ({
  name,
  method: 'PATCH',
  path,
  type,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const fuzzedObject = (spec: object): object => ({ apiVersion: 'fuzz.example/v1', kind: 'Fuzzed', metadata: { name: 'bomb' }, spec })

function definition(name: string, spec: object): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.fuzz.example` },
    spec: {
      group: 'fuzz.example',
      scope: 'Namespaced',
      names: { plural: name, kind: `${name.charAt(0).toUpperCase()}${name.slice(1)}` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    },
  }
}

/**
 * The CRD that the other requests target: a set, a keyed list, a pattern that requires
 * backtracking, and expensive rules.
 */
export const fuzzedDefinition: object = definition('fuzzed', {
  type: 'object',
  properties: {
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, value: { type: 'string' } } },
    },
    text: { type: 'string', pattern: '^(a+)+$' },
    words: { type: 'array', maxItems: 200, items: { type: 'string', maxLength: 50 } },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    count: { type: 'integer' },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.words) || self.words.all(w, self.words.exists_one(v, v == w))', message: 'words differ' },
  ],
})

function billionLaughs(): string {
  const lines = ['a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]']
  for (let level = 1; level < 12; level += 1) {
    const before = `*a${level - 1}`
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => before).join(', ')}]`)
  }
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: laughs}\n${lines.join('\n')}\n`
}

function doublings(): object[] {
  const operations: object[] = [{ op: 'add', path: '/data', value: { a: 'x'.repeat(1000) } }]
  for (let level = 0; level < 60; level += 1) operations.push({ op: 'copy', from: '/data', path: `/data/l${level}` })
  return operations
}

/** Returns all of them. None may block other requests, or leave unacknowledged objects. */
export function bombs(): readonly Bomb[] {
  const strings = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`)
  const deepList = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const rule = 'self.words.all(a, self.words.all(b, self.words.all(c, self.words.all(d, a + b + c + d != ""))))'
  return [
    post('a deep list', configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":${deepList}}`),
    post('a deep YAML list', configMaps, `data: ${deepList}`, 'application/yaml'),
    post('aliases that multiply', configMaps, billionLaughs(), 'application/yaml'),
    post('4 MB', configMaps, { metadata: { name: 'huge' }, data: { a: 'x'.repeat(4 << 20) } }),
    post('100,000 keys', configMaps, { metadata: { name: 'keys' }, data: Object.fromEntries(strings(100_000).map((key) => [key, ''])) }),
    post(
      'keys that come 50,000 times',
      configMaps,
      `{"metadata":{"name":"twice"},"data":{${strings(50_000)
        .map(() => '"k":"v"')
        .join(',')}}}`,
    ),
    post('100,000 labels', configMaps, {
      metadata: { name: 'labels', labels: Object.fromEntries(strings(100_000).map((key) => [key, 'v'])) },
    }),
    post('20,000 owners', configMaps, {
      metadata: { name: 'owners', ownerReferences: strings(20_000).map((uid) => ({ apiVersion: 'v1', kind: 'Pod', name: uid, uid })) },
    }),
    post('a long number', configMaps, `{"metadata":{"name":"number","generation":${'9'.repeat(100_000)}}}`),
    post('broken text', configMaps, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])),
    post('a set of 150,000', fuzzed, fuzzedObject({ set: strings(150_000) })),
    post('a keyed list of 60,000', fuzzed, fuzzedObject({ keyed: strings(60_000).map((name) => ({ name })) })),
    post('a pattern that backtracks', fuzzed, fuzzedObject({ text: `${'a'.repeat(100_000)}!` })),
    post('a rule that compares all with all', fuzzed, fuzzedObject({ words: strings(200) })),
    post('an open object of 200,000', fuzzed, fuzzedObject({ open: Object.fromEntries(strings(200_000).map((key) => [key, null])) })),
    post('a definition with a pattern without end', definitions, definition('patterns', { type: 'string', pattern: '('.repeat(5000) })),
    post(
      'a definition with a large repetition',
      definitions,
      definition('repeats', { type: 'string', pattern: '(((a{1000}){1000}){1000}){1000}' }),
    ),
    post(
      'a definition with a rule that costs too much',
      definitions,
      definition('costly', {
        type: 'object',
        properties: { words: { type: 'array', items: { type: 'string' } } },
        'x-kubernetes-validations': [{ rule }],
      }),
    ),
    post(
      'a definition with a long rule',
      definitions,
      definition('long', { type: 'object', 'x-kubernetes-validations': [{ rule: `${'('.repeat(20_000)}true${')'.repeat(20_000)}` }] }),
    ),
    post('a definition nested 400 deep', definitions, definition('nested', nested(400))),
    patch('copies that double', `${configMaps}/target`, 'application/json-patch+json', doublings()),
    patch(
      '10,001 operations',
      `${configMaps}/target`,
      'application/json-patch+json',
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' })),
    ),
    patch(
      'a merge of deep nothing',
      `${configMaps}/target`,
      'application/merge-patch+json',
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    ),
    patch('a strategic order without end', `${configMaps}/target`, 'application/strategic-merge-patch+json', {
      metadata: { '$setElementOrder/finalizers': strings(100_000), finalizers: strings(2000) },
    }),
    patch(
      'an apply of everything',
      `${configMaps}/target?fieldManager=bomb`,
      'application/apply-patch+yaml',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'target' },
        data: Object.fromEntries(strings(50_000).map((key) => [key, ''])),
      }),
    ),
    patch(
      'an apply of a set of 100,000',
      `${fuzzed}/applied?fieldManager=bomb`,
      'application/apply-patch+yaml',
      JSON.stringify({
        ...fuzzedObject({ set: strings(100_000) }),
        metadata: { name: 'applied' },
      }),
    ),
    {
      name: 'a selector without end',
      method: 'GET',
      path: `${configMaps}?labelSelector=${encodeURIComponent(`a in (${strings(5000).join(',')})`)}`,
      type: '',
      body: '',
    },
    { name: 'a long path', method: 'GET', path: `/${'a/'.repeat(20_000)}`, type: '', body: '' },
    {
      name: 'deletions of all there is, with a broken selector',
      method: 'DELETE',
      path: `${configMaps}?fieldSelector=metadata.name%3D`,
      type: json,
      body: '{"kind":"DeleteOptions"',
    },
    post(
      'protobuf that promises more than it has',
      configMaps,
      Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f])]),
      'application/vnd.kubernetes.protobuf',
    ),
    post('protobuf in protobuf', definitions, nestedProtobuf(20_000), 'application/vnd.kubernetes.protobuf'),
  ]
}

function nested(depth: number): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } }
  return schema
}

/** Returns a CustomResourceDefinition schema that is nested to this depth as protobuf messages. */
function nestedProtobuf(depth: number): Buffer {
  const field = (number: number, content: Buffer): Buffer => Buffer.concat([varint((number << 3) | 2), varint(content.length), content])
  // Built from the outside in, as lengths and tags only: each level adds a few bytes.
  let body: Buffer = Buffer.alloc(0)
  for (let level = 0; level < depth && body.length < 200_000; level += 1) body = field(28, body)
  const type = Buffer.concat([field(1, Buffer.from('apiextensions.k8s.io/v1')), field(2, Buffer.from('CustomResourceDefinition'))])
  const version = field(7, field(4, field(1, body)))
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, field(2, version))])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}
