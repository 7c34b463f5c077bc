import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import protobuf from 'protobufjs/minimal.js'
import { StatusError } from '#apimachinery/errors.ts'
import { decodeProtobuf, goDuration } from './decode.ts'

type Part = [field: number, value: string | number | boolean | Uint8Array | Part[]]

function encode(parts: readonly Part[]): Uint8Array {
  const writer = protobuf.Writer.create()
  for (const [field, value] of parts) {
    if (typeof value === 'number') writer.uint32(field << 3).int64(value)
    else if (typeof value === 'boolean') writer.uint32(field << 3).bool(value)
    else if (typeof value === 'string') writer.uint32((field << 3) | 2).string(value)
    else writer.uint32((field << 3) | 2).bytes(value instanceof Uint8Array ? value : encode(value))
  }
  return writer.finish()
}
function body(apiVersion: string, kind: string, parts: readonly Part[]): Buffer {
  const envelope = encode([
    [
      1,
      [
        [1, apiVersion],
        [2, kind],
      ],
    ],
    [2, encode(parts)],
    [3, ''],
    [4, ''],
  ])
  return Buffer.concat([Buffer.from('k8s\0'), envelope])
}

suite('decodeProtobuf()', () => {
  test('reads a ConfigMap of a Go client, without empty fields', () => {
    const metadata: Part[] = [
      [1, 'a'],
      [2, ''],
      [3, 'default'],
      [5, ''],
      [7, 0],
      [8, []],
      [
        11,
        [
          [1, 'l'],
          [2, 'x'],
        ],
      ],
    ]
    const bytes = body('v1', 'ConfigMap', [
      [1, metadata],
      [
        2,
        [
          [1, 'k'],
          [2, 'v'],
        ],
      ],
      [
        3,
        [
          [1, 'b'],
          [2, Buffer.from([0, 255])],
        ],
      ],
      [4, false],
    ])
    assert.deepEqual(decodeProtobuf(bytes), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default', labels: { l: 'x' } },
      data: { k: 'v' },
      binaryData: { b: 'AP8=' },
      // Optional in Go, so false was set explicitly.
      immutable: false,
    })
  })

  test('reads times, quantities, IntOrStrings and embedded structures', () => {
    const port: Part[] = [
      [
        5,
        [
          [1, 1],
          [3, 'http'],
        ],
      ],
    ]
    const probe: Part[] = [
      [
        1,
        [
          [
            2,
            [
              [1, '/'],
              [2, port[0]?.[1] as Part[]],
            ],
          ],
        ],
      ],
    ]
    const container: Part[] = [
      [1, 'c'],
      [
        8,
        [
          [
            2,
            [
              [1, 'cpu'],
              [2, [[1, '500m']]],
            ],
          ],
        ],
      ],
      [10, probe],
    ]
    const bytes = body('v1', 'Pod', [
      [
        1,
        [
          [1, 'p'],
          [
            8,
            [
              [1, 1700000000],
              [2, 0],
            ],
          ],
        ],
      ],
      [
        2,
        [
          [2, container],
          [4, 0],
          [
            1,
            [
              [1, 'v'],
              [2, [[2, []]]],
            ],
          ],
        ],
      ],
    ])
    assert.deepEqual(decodeProtobuf(bytes), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', creationTimestamp: '2023-11-14T22:13:20Z' },
      spec: {
        containers: [{ name: 'c', resources: { requests: { cpu: '500m' } }, livenessProbe: { httpGet: { path: '/', port: 'http' } } }],
        terminationGracePeriodSeconds: 0,
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    })
  })

  test('reads DeleteOptions of every group', () => {
    assert.deepEqual(
      decodeProtobuf(
        body('kubevirt.io/v1', 'DeleteOptions', [
          [1, 0],
          [4, 'Background'],
        ]),
      ),
      {
        apiVersion: 'kubevirt.io/v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      },
    )
  })

  test('reads micro times', () => {
    const lease = decodeProtobuf(
      body('coordination.k8s.io/v1', 'Lease', [
        [
          2,
          [
            [1, 'me'],
            [2, 15],
            [
              4,
              [
                [1, 1700000000],
                [2, 123456000],
              ],
            ],
          ],
        ],
      ]),
    )
    assert.deepEqual((lease as { spec?: unknown }).spec, {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      renewTime: '2023-11-14T22:13:20.123456Z',
    })
  })

  test('returns undefined for kinds without a protobuf encoding', () =>
    assert.equal(decodeProtobuf(body('kubevirt.io/v1', 'VirtualMachine', [])), undefined))

  const damaged = (bytes: Buffer): void =>
    assert.throws(
      () => decodeProtobuf(bytes),
      (error: unknown) => error instanceof StatusError && error.code === 400,
    )
  test('refuses other formats', () => damaged(Buffer.from('{}')))
  test('refuses truncated bodies', () => damaged(body('v1', 'ConfigMap', [[1, [[1, 'a']]]]).subarray(0, 20)))
})

test('goDuration() formats durations', () => {
  const cases = [
    [0, '0s'],
    [1500, '1.5µs'],
    [2_000_000, '2ms'],
    [1_500_000_000, '1.5s'],
    [3_600_000_000_000, '1h0m0s'],
    [90_000_000_000, '1m30s'],
    [-5_000_000_000, '-5s'],
  ] as const
  for (const [nanoseconds, text] of cases) assert.equal(goDuration(nanoseconds), text)
})

suite('decodeProtobuf() of other versions and schemas', () => {
  test('distinguishes versions of a kind', () => {
    const target: Part[] = [
      [1, 'Deployment'],
      [2, 'web'],
    ]
    const spec: Part[] = [
      [1, target],
      [3, 5],
    ]
    const scaleTargetRef = { kind: 'Deployment', name: 'web' }
    assert.deepEqual(decodeProtobuf(body('autoscaling/v2', 'HorizontalPodAutoscaler', [[2, spec]])), {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      spec: { scaleTargetRef, maxReplicas: 5 },
    })
    assert.equal(decodeProtobuf(body('autoscaling/v3', 'HorizontalPodAutoscaler', [[2, spec]])), undefined)
  })
  test('reads fields that are a schema or a simpler value', () => {
    const text: Part[] = [[5, 'string']]
    const schema: Part[] = [
      [5, 'object'],
      [
        29,
        [
          [1, 'list'],
          [
            2,
            [
              [5, 'array'],
              [24, [[1, text]]],
            ],
          ],
        ],
      ],
      [
        29,
        [
          [1, 'map'],
          [
            2,
            [
              [
                30,
                [
                  [1, false],
                  [2, text],
                ],
              ],
            ],
          ],
        ],
      ],
      [
        29,
        [
          [1, 'open'],
          [2, [[30, [[1, true]]]]],
        ],
      ],
    ]
    const version: Part[] = [
      [1, 'v1'],
      [2, true],
      [4, [[1, schema]]],
    ]
    const decoded = decodeProtobuf(body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [[2, [[7, version]]]])) as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: unknown } } }[] }
    }
    assert.deepEqual(decoded.spec.versions[0]?.schema.openAPIV3Schema.properties, {
      list: { type: 'array', items: { type: 'string' } },
      map: { additionalProperties: { type: 'string' } },
      open: { additionalProperties: true },
    })
  })
})
