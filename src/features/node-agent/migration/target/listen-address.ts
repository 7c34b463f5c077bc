import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { migrationPorts, type IncomingPorts } from '#features/launcher/index.ts'
import { UnsupportedGuest } from '#features/node-agent/domain/unsupported-guest.ts'
import { podOf, type Ports } from '#features/node-agent/guest/ports.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { LauncherNotReady, type Guest } from '#features/node-agent/guest/guest.ts'
import { targetNameOf } from '../address.ts'

/**
 * Chooses address and ports of the incoming migration. They are recorded at launch: QEMU does not
 * report its NBD port, and a restarted agent may have another address. @throws UnsupportedGuest
 * when the address is not available or not in the certificate
 */
export async function allocateMigrationPorts(
  { migrationAddress, migrationCertificates, nodeName }: Pick<Ports, 'migrationAddress' | 'migrationCertificates' | 'nodeName'>,
  { migrationConfiguration = {} }: VirtualMachineInstanceMigrationState,
): Promise<IncomingPorts> {
  const { network, disableTLS } = migrationConfiguration
  const host = migrationAddress(typeof network === 'string' && network !== '' ? network : undefined)
  if (migrationCertificates !== undefined && disableTLS !== true) {
    const { directory, name } = migrationCertificates
    await checkName(directory, targetNameOf(host, nodeName, name))
  }
  const [memory, storage] = await Promise.all([freePort(host), freePort(host)])
  return { host, memory, storage }
}

/**
 * Returns address and ports of a launcher in a pod with a network of its own, where no port is
 * taken: those of KubeVirt's direct migrations. @throws UnsupportedGuest for a dedicated network
 */
export async function portsOfPod(
  ports: Pick<Ports, 'pods' | 'migrationCertificates' | 'nodeName'>,
  guest: Guest,
  vmi: VirtualMachineInstance,
  { migrationConfiguration = {} }: VirtualMachineInstanceMigrationState,
): Promise<IncomingPorts> {
  const { migrationCertificates, nodeName } = ports
  const { network, disableTLS } = migrationConfiguration
  if (typeof network === 'string' && network !== '')
    throw new UnsupportedGuest(`guests move by network ${network}, and launcher pods have the pod network only`)
  const host = podOf(ports, guest, vmi)?.status?.podIP ?? ''
  if (host === '') throw new LauncherNotReady(`the kubelet has not reported the address of pod ${guest.podUid}`)
  if (migrationCertificates !== undefined && disableTLS !== true) {
    const { directory, name } = migrationCertificates
    await checkName(directory, targetNameOf(host, nodeName, name))
  }
  return { host, ...migrationPorts }
}

/**
 * Checks the certificate's name here, where the error can name the cause; the source would only see
 * a failed handshake.
 */
async function checkName(directory: string, name: string): Promise<void> {
  const file = join(directory, 'server-cert.pem')
  const certificate = new X509Certificate(await readFile(file))
  if (certificate.checkHost(name) !== undefined) return
  throw new UnsupportedGuest(`the certificate ${file} for guests that come is not one for ${name}`)
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => reject(new UnsupportedGuest(`guests cannot be received at ${host}: ${error.message}`)))
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
