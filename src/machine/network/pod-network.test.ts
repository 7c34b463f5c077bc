import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { choosePrefix, podNetworkPlace, readRoutes } from './pod-network.ts'

const header = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n'

suite('choosePrefix()', () => {
  const own = choosePrefix('/root/.steadyvm', [], [])

  test('returns the same for the same home, from 10.64 to 10.191', () => {
    for (let index = 0; index < 300; index++) {
      const prefix = choosePrefix(`/home/${index}`, [], [])
      assert.equal(choosePrefix(`/home/${index}`, [], []), prefix)
      const second = Number(prefix?.split('.')[1])
      assert.ok(second >= 64 && second < 192 && !(second >= 96 && second <= 111), String(prefix))
    }
  })

  test('avoids the networks of other homes and of the machine, but not for the default route', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'routes-'))
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    const file = join(directory, 'route')
    const second = Number(own?.split('.')[1])
    const hex = second.toString(16).toUpperCase().padStart(2, '0')
    const routesOf = (lines: string): ReturnType<typeof readRoutes> => {
      writeFileSync(file, header + lines)
      return readRoutes(file)
    }
    const defaultRoute = 'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n'
    assert.equal(choosePrefix('/root/.steadyvm', await routesOf(defaultRoute), []), own)
    for (const [network, mask] of [
      [`0000${hex}0A`, '0000FFFF'],
      [`0107${hex}0A`, 'FFFFFFFF'],
    ] as const) {
      const routes = await routesOf(`${defaultRoute}x\t${network}\t0\t0003\t0\t0\t0\t${mask}\t0\t0\t0\n`)
      assert.notEqual(choosePrefix('/root/.steadyvm', routes, []), own)
    }
    assert.notEqual(choosePrefix('/root/.steadyvm', [], [own ?? '']), own)
    const whole = await routesOf('x\t0000000A\t0\t0003\t0\t0\t0\t000000FF\t0\t0\t0\n')
    assert.equal(choosePrefix('/root/.steadyvm', whole, []), undefined)
  })
})

test('podNetworkPlace() gives each home an interface name that Linux takes', () => {
  const { hostLink, directory } = podNetworkPlace('/root/.steadyvm', '10.64')
  assert.ok(hostLink.length <= 15)
  assert.notEqual(podNetworkPlace('/tmp/other', '10.64').directory, directory)
})
