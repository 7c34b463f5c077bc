import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { IncomingPorts } from '#features/launcher/index.ts'
import { UnsupportedGuest } from '../../domain/unsupported-guest.ts'
import type { Ports } from '../../guest/ports.ts'
import { targetNameOf } from '../address.ts'

/**
 * Where a guest will be received. Chosen before QEMU starts and kept, since QEMU cannot be asked
 * later where it serves disks, and since the agent that asks may have another address by then.
 * @throws UnsupportedGuest when nobody could reach it there, or be sure that it is this node
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
 * The source would refuse to send anything to a certificate of another name, and could not say as
 * well as this node what is wrong.
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
