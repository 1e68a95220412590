import java.sql.*;
import java.util.Properties;

/** Asks pgjdbc for all that tools ask of a database, and prints a line for each answer: its name, rows, first row. */
public class Metadata {
    private static void show(String name, ResultSet rows) throws SQLException {
        int count = 0, width = rows.getMetaData().getColumnCount();
        StringBuilder first = new StringBuilder();
        while (rows.next()) {
            for (int i = 1; count == 0 && i <= Math.min(width, 4); i++) {
                first.append(i > 1 ? "," : "").append(rows.getObject(i));
            }
            count++;
        }
        System.out.println(name + " " + count + " " + first);
    }

    public static void main(String[] arguments) throws Exception {
        Properties login = new Properties();
        login.put("user", "alice");
        login.put("password", arguments[1]);
        try (Connection c = DriverManager.getConnection(arguments[0], login)) {
            DatabaseMetaData d = c.getMetaData();
            show("tables", d.getTables(null, "main", "%", new String[] {"TABLE"}));
            show("columns", d.getColumns(null, null, "orders", "%"));
            show("primary keys", d.getPrimaryKeys(null, null, "products"));
            show("imported keys", d.getImportedKeys(null, null, "orders"));
            show("indexes", d.getIndexInfo(null, null, "orders", false, true));
            show("types", d.getTypeInfo());
            show("schemas", d.getSchemas(null, "main"));
            show("catalogs", d.getCatalogs());
            show("functions", d.getFunctions(null, null, "upper"));
            show("function columns", d.getFunctionColumns(null, null, "upper", "%"));
            show("table privileges", d.getTablePrivileges(null, "main", "orders"));
            show("best row", d.getBestRowIdentifier(null, null, "orders", DatabaseMetaData.bestRowSession, true));
            PreparedStatement counted = c.prepareStatement(
                "SELECT COUNT(*) AS n FROM orders WHERE day < ? AND region = ANY(?) AND product <> ?");
            for (int i = 0; i < 6; i++) { // from the fifth on by name, in binary
                counted.setDate(1, java.sql.Date.valueOf("2025-02-01"));
                counted.setArray(2, c.createArrayOf("text", new String[] {"north", "south"}));
                counted.setInt(3, 3);
                show("counted", counted.executeQuery());
            }
            c.setAutoCommit(false);
            Statement few = c.createStatement();
            few.setFetchSize(2);
            show("fetched", few.executeQuery("SELECT product, label FROM products ORDER BY product"));
            try {
                few.executeQuery("SELECT * FROM orders");
            } catch (SQLException refused) {
                System.out.println("refused " + refused.getSQLState());
            }
            c.rollback();
        }
    }
}
