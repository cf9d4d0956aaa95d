package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// RegisterKid64 makes IDs strings on a connection, and lists of them slices. With a pool, call it in AfterConnect.
func RegisterKid64(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	if err := conn.QueryRow(ctx, "SELECT 'kid64'::regtype::oid").Scan(&oid); err != nil {
		return err
	}
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "kid64", OID: oid, Codec: kid64Codec{}})
	array, err := conn.LoadType(ctx, "kid64[]")
	if err == nil {
		conn.TypeMap().RegisterType(array)
	}
	return err
}

// kid64Codec sends and receives text, except for CopyFrom, which is binary.
type kid64Codec struct{ pgtype.TextCodec }

func (kid64Codec) FormatSupported(format int16) bool { return format == pgtype.TextFormatCode }

func (kid64Codec) PreferredFormat() int16 { return pgtype.TextFormatCode }

func (codec kid64Codec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(string); ok && format == pgtype.BinaryFormatCode {
		return kid64Binary{}
	}
	return codec.TextCodec.PlanEncode(m, oid, format, value)
}

type kid64Binary struct{}

func (kid64Binary) Encode(value any, buf []byte) ([]byte, error) {
	const alphabet = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	text := value.(string)
	if len(text) != 11 || strings.Trim(text, alphabet) != "" {
		return nil, fmt.Errorf("not an ID: %q", text)
	}
	var id uint64
	for i := 0; i < 10; i++ {
		id = id<<6 | uint64(strings.IndexByte(alphabet, text[i]))
	}
	// The last two of 66 bits are 0.
	return binary.BigEndian.AppendUint64(buf, id<<4|uint64(strings.IndexByte(alphabet, text[10]))>>2), nil
}
