#!/bin/sh
# Makes the certificates of these tests anew: an authority, a server's and a client's, valid for a hundred years.
set -eu
cd "$(dirname "$0")"
new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -subj "/CN=$2" -out "$1.csr"; }
sign() { openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -days 36500 -extfile "$1.ext" -out "$1.pem"; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout authority.key -subj "/CN=authority of tests" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" -days 36500 -out authority.pem
echo "subjectAltName=DNS:localhost,IP:127.0.0.1" > server.ext
echo "extendedKeyUsage=clientAuth" > client.ext
new server localhost && sign server
new client certified && sign client
rm -f ./*.csr ./*.ext ./*.srl authority.key
