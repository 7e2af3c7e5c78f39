import { generate } from 'selfsigned';

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A private authority and the certificates it signed, made for one test run. */
export async function testCertificates() {
  const ec = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'test authority' }], {
    ...ec,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  /** An `until` that has passed makes a certificate that has expired. */
  const issue = async (commonName: string, client: boolean, until?: Date): Promise<TestCertificate> => {
    const made = await generate([{ name: 'commonName', value: commonName }], {
      ...ec,
      ...(until && { notBeforeDate: new Date(0), notAfterDate: until }),
      ca: { cert: authority.cert, key: authority.private },
      extensions: [
        { name: 'extKeyUsage', clientAuth: client, serverAuth: !client },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: commonName },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    });
    return { cert: made.cert, key: made.private };
  };
  return { ca: authority.cert, server: await issue('localhost', false), issue };
}
