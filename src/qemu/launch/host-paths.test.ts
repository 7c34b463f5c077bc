import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { buildArguments } from '../domain/arguments.ts'
import { bootDisk, ticking } from '../guest.fixture.ts'
import { formatProperties, parseCommandLine, parseProperties, toArguments } from './command-line.ts'
import { relocatePaths } from './host-paths.ts'

const guest = ticking('/old', {
  disks: [bootDisk('/old/boot,1.img')],
  firmware: { kind: 'efi', codePath: '/fw/code.fd', variablesPath: '/old/vars.fd', secureBoot: true },
  kernel: { kernelPath: '/old/vmlinuz', commandLine: 'a=b,c' },
  graphics: { vncSocket: '/old/vnc', device: 'VGA' },
  guestAgentSocket: '/old/agent',
  rng: true,
})

suite('relocatePaths()', () => {
  test('describes the use of each host path', () => {
    const seen: string[] = []
    relocatePaths(buildArguments(guest), (path, { kind, id }) => {
      seen.push(`${kind} ${id} ${path}`)
      return path
    })
    assert.deepEqual(seen.toSorted(), [
      'device rng0 /dev/urandom',
      'disk file-boot /old/boot,1.img',
      'firmware 0 /fw/code.fd',
      'firmware 1 /old/vars.fd',
      'kernel kernel /old/vmlinuz',
      'log serial0 /old/serial.log',
      'socket agent0 /old/agent',
      'socket monitor0 /old/agent.qmp',
      'socket monitor1 /old/tools.qmp',
      'socket serial0 /old/serial',
      'socket vnc /old/vnc',
    ])
  })

  test('changes nothing when no path changes', () => {
    const args = buildArguments(guest)
    assert.deepEqual(
      relocatePaths(args, (path) => path),
      args,
    )
  })

  test('relocates a guest into another folder', () => {
    const args = relocatePaths(buildArguments(ticking('/a')), (path) => path.replace('/a/', '/b/'))
    assert.deepEqual(args, buildArguments(ticking('/b')))
  })
})

test('formatProperties() is the inverse of parseProperties(), commas included', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]*$/)
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          name,
          fc.string().filter((text) => !text.includes('\0')),
        ),
        { minLength: 1 },
      ),
      (properties) => {
        assert.deepEqual(parseProperties(formatProperties(properties)), properties)
      },
    ),
  )
})

test('toArguments() is the inverse of parseCommandLine()', () => {
  const args = buildArguments(guest)
  assert.deepEqual(toArguments(parseCommandLine(args)), args)
})
