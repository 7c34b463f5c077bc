import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeProtobuf } from './decode.ts'

// Encoded by kube-aggregator 0.34.
const remote =
  '6b3873000a270a19617069726567697374726174696f6e2e6b38732e696f2f7631120a415049536572766963651290010a1f0a0f76312e6578616d706c652e7465737412001a' +
  '0022002a0032003800420012330a130a036465761209657874656e73696f6e18bb03120c6578616d706c652e746573741a02763120002a0350454d38e807400f1a380a360a09' +
  '417661696c61626c651204547275651a080880e2cfaa06100022065061737365642a11616c6c20636865636b73207061737365641a002200'
const local =
  '6b3873000a270a19617069726567697374726174696f6e2e6b38732e696f2f7631120a4150495365727669636512270a130a0376312e12001a0022002a00320038004200120e' +
  '12001a027631200038d08c0140011a001a002200'

suite('decodeProtobuf() of an APIService', () => {
  test('reads service and status', () => {
    assert.deepEqual(decodeProtobuf(Buffer.from(remote, 'hex')), {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.example.test' },
      spec: {
        service: { namespace: 'dev', name: 'extension', port: 443 },
        group: 'example.test',
        version: 'v1',
        caBundle: 'UEVN',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
      },
      status: {
        conditions: [
          { type: 'Available', status: 'True', lastTransitionTime: '2023-11-14T22:13:20Z', reason: 'Passed', message: 'all checks passed' },
        ],
      },
    })
  })

  test('reads one without a service', () => {
    const { spec } = decodeProtobuf(Buffer.from(local, 'hex')) as { spec?: object }
    assert.deepEqual(spec, { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 })
  })
})
