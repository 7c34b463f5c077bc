import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { TransportError } from '../client.ts'
import type { Credentials } from './credentials.ts'
import type { CompleteHttpConfig } from './http-config.ts'

/** Returns the TLS options for an API server: trusted authority and client certificate, if any. */
export function tlsOptions(config: CompleteHttpConfig, credentials: Credentials): ConnectionOptions {
  const { hostname } = new URL(config.server)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const name = config.serverName ?? (isIP(host) === 0 ? host : undefined)
  return {
    ...(config.certificateAuthority === undefined ? {} : { ca: config.certificateAuthority }),
    ...(credentials.certificate === undefined ? {} : { cert: credentials.certificate, key: credentials.key }),
    // An IP address must not be sent as server name; its certificate is then checked against the
    // host.
    ...(name === undefined ? {} : { servername: name }),
    rejectUnauthorized: config.insecureSkipTlsVerify !== true,
  }
}

/**
 * Opens a TLS connection and waits for the handshake, so that the negotiated protocol is known.
 * Rejects with TransportError.
 */
export function connectTls(config: CompleteHttpConfig, credentials: Credentials): Promise<TLSSocket> {
  const { hostname, port } = new URL(config.server)
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port === '' ? 443 : port),
      ALPNProtocols: [...config.protocols],
      ...tlsOptions(config, credentials),
    })
    const timer = setTimeout(() => socket.destroy(new Error(`no handshake within ${config.connectTimeoutMs} ms`)), config.connectTimeoutMs)
    const onError = (cause: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(new TransportError(`Cannot connect to ${config.server}: ${cause.message}`, { cause, unsent: true }))
    }
    const onClose = (): void => onError(new Error('the connection was closed during the handshake'))
    socket.once('error', onError)
    socket.once('close', onClose)
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      socket.removeListener('error', onError)
      socket.removeListener('close', onClose)
      // Watches are silent for minutes: let the kernel notice a vanished peer too.
      socket.setKeepAlive(true, config.pingIntervalMs)
      socket.setNoDelay(true)
      resolve(socket)
    })
  })
}
